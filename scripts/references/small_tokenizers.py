#!/usr/bin/env python3
"""Trains the small tokenizers of tests/data/tokenizers/: kinds whose real files are too large to keep.

    python3 -m venv /tmp/venv-spm && /tmp/venv-spm/bin/pip install tokenizers==0.23.3 sentencepiece==0.2.3 protobuf
    /tmp/venv-spm/bin/python scripts/references/small_tokenizers.py SHARED_DATA

    unigram.model.gz   sentencepiece Unigram with byte fallback and the whole nmt_nfkc character map
    unigram_t5.json    its conversion as Transformers writes it for T5: Precompiled, Metaspace always, </s> at the end
    unigram_xlmr.json  XLM-RoBERTa's older form: white space split, Metaspace, no byte fallback, Unigram without byte pieces
    unigram_albert.json  ALBERT's: NFKD, StripAccents, Lowercase and Precompiled, BertProcessing's arrangement as a template
    bpe.model          sentencepiece BPE with byte fallback and identity normalisation, as Llama 2's
    bpe_llama2.json    its conversion: Prepend, Replace, BPE with byte fallback, the decoder Sequence
    byte_level_llama3.json  byte-level BPE with Llama 3's Split pattern, ignore_merges, and words no merge leads to

In the JSON files "precompiled_charsmap" is null; the tests fill in that of unigram.model.gz.
"""
import gzip
import json
import pathlib
import random
import sys
import tempfile

import sentencepiece
from sentencepiece import sentencepiece_model_pb2 as proto
from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, processors, trainers

OUTPUT = pathlib.Path(__file__).resolve().parents[2] / "tests/data/tokenizers"
LLAMA3 = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+"
          r"|\s+(?!\S)|\s+")
META = "\u2581"


def training_lines(shared):
    """English and Chinese, seeded."""
    rng = random.Random(20261121)
    english = [line.strip() for line in (shared / "wikitext-2/valid.txt").read_text("utf-8").split("\n") if line.strip()]
    chinese = [paragraph["context"]
               for article in json.loads((shared / "xquad/xquad.zh.json").read_text("utf-8"))["data"]
               for paragraph in article["paragraphs"]]
    return rng.sample(english, 1500) + rng.sample(chinese, 60)


def train_sentencepiece(lines, model_type, vocab_size, normalization, **more):
    with tempfile.TemporaryDirectory() as folder:
        prefix = folder + "/m"
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=iter(lines), model_prefix=prefix, model_type=model_type, vocab_size=vocab_size,
            normalization_rule_name=normalization, byte_fallback=True, character_coverage=0.98, num_threads=1,
            minloglevel=2, **more)
        model = proto.ModelProto()
        model.ParseFromString(pathlib.Path(prefix + ".model").read_bytes())
    model.trainer_spec.model_prefix = "m"  # not the name of a temporary folder
    return model


def template(single, pair, special):
    return processors.TemplateProcessing(single=single, pair=pair, special_tokens=special)


def added(token_id, content, special=True, **more):
    flags = dict(single_word=False, lstrip=False, rstrip=False, normalized=not special, special=special)
    return {"id": token_id, "content": content, **{**flags, **more}}


def tokenizer_json(model, **parts):
    names = ("normalizer", "pre_tokenizer", "post_processor", "decoder")
    return {"version": "1.0", "truncation": None, "padding": None, "added_tokens": parts.get("added_tokens", []),
            **{name: parts.get(name) for name in names}, "model": model}


def component(part):
    return json.loads(part.__getstate__())


def metaspace(**options):
    return {"type": "Metaspace", "replacement": META, **options}


def unigram_json(pieces, byte_fallback):
    return {"type": "Unigram", "unk_id": 2, "vocab": [[p.piece, p.score] for p in pieces], "byte_fallback": byte_fallback}


PRECOMPILED = {"type": "Precompiled", "precompiled_charsmap": None}
SPACES = {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": META}


def unigram_variants(model):
    normal = [piece for piece in model.pieces if piece.type != proto.ModelProto.SentencePiece.BYTE]
    specials = [added(0, "<pad>"), added(1, "</s>"), added(2, "<unk>")]
    always = metaspace(prepend_scheme="always", split=True)
    end = template("$A </s>", "$A </s> $B </s>", [("</s>", 1)])
    t5 = tokenizer_json(
        unigram_json(model.pieces, True), added_tokens=specials + [added(len(model.pieces), "<extra_id_0>")],
        normalizer={"type": "Sequence", "normalizers": [
            PRECOMPILED, {"type": "Strip", "strip_left": False, "strip_right": True}, SPACES]},
        pre_tokenizer=always, post_processor=component(end), decoder=always)
    first = metaspace(prepend_scheme="first", split=True)
    xlmr = tokenizer_json(
        unigram_json(normal, False),
        added_tokens=specials + [added(len(normal), "<mask>", lstrip=True)], normalizer=PRECOMPILED,
        pre_tokenizer={"type": "Sequence", "pretokenizers": [{"type": "WhitespaceSplit"},
                                                             metaspace(prepend_scheme="always", split=True)]},
        post_processor=component(template("<pad> $A </s>", "<pad> $A </s> </s> $B </s>", [("<pad>", 0), ("</s>", 1)])),
        decoder=metaspace(prepend_scheme="always", split=True))
    albert = tokenizer_json(
        unigram_json(normal, False), added_tokens=specials,
        normalizer={"type": "Sequence", "normalizers": [
            {"type": "Replace", "pattern": {"String": "``"}, "content": "\""},
            {"type": "Replace", "pattern": {"String": "''"}, "content": "\""}, {"type": "NFKD"}, {"type": "StripAccents"},
            {"type": "Lowercase"}, PRECOMPILED, {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "}]},
        pre_tokenizer=first, post_processor=component(template("<pad>:0 $A:0 </s>:0", "<pad>:0 $A:0 </s>:0 $B:1 </s>:1",
                                                               [("<pad>", 0), ("</s>", 1)])), decoder=first)
    return {"unigram_t5": t5, "unigram_xlmr": xlmr, "unigram_albert": albert}


def merges_of(pieces):
    """The merges behind the pieces, in the order of their scores, as Transformers finds them for Llama."""
    ids = {piece.piece: i for i, piece in enumerate(pieces)}
    merges = []
    for piece in pieces:
        found = [(piece.piece[:cut], piece.piece[cut:]) for cut in range(1, len(piece.piece))
                 if piece.piece[:cut] in ids and piece.piece[cut:] in ids]
        merges += [(left, right, piece.score) for left, right in sorted(found, key=lambda m: (ids[m[0]], ids[m[1]]))]
    return [[left, right] for left, right, _ in sorted(merges, key=lambda m: m[2], reverse=True)]


def llama2_json(model):
    vocabulary = {piece.piece: i for i, piece in enumerate(model.pieces)}
    bpe = {"type": "BPE", "dropout": None, "unk_token": "<unk>", "continuing_subword_prefix": None,
           "end_of_word_suffix": None, "fuse_unk": True, "byte_fallback": True, "ignore_merges": False,
           "vocab": vocabulary, "merges": merges_of(model.pieces)}
    return tokenizer_json(
        bpe, added_tokens=[added(0, "<unk>"), added(1, "<s>"), added(2, "</s>")],
        normalizer={"type": "Sequence", "normalizers": [
            {"type": "Prepend", "prepend": META}, {"type": "Replace", "pattern": {"String": " "}, "content": META}]},
        post_processor=component(template("<s> $A", "<s>:0 $A:0 <s>:1 $B:1", [("<s>", 1)])),
        decoder={"type": "Sequence", "decoders": [
            {"type": "Replace", "pattern": {"String": META}, "content": " "}, {"type": "ByteFallback"}, {"type": "Fuse"},
            {"type": "Strip", "content": " ", "start": 1, "stop": 0}]})


def llama3_json(lines):
    tokenizer = Tokenizer(models.BPE(ignore_merges=True))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([
        pre_tokenizers.Split(Regex(LLAMA3), "isolated", invert=False),
        pre_tokenizers.ByteLevel(add_prefix_space=False, trim_offsets=True, use_regex=False)])
    tokenizer.decoder = decoders.ByteLevel(add_prefix_space=True, trim_offsets=True, use_regex=True)
    tokenizer.train_from_iterator(lines, trainers.BpeTrainer(
        vocab_size=1000, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False))
    result = json.loads(tokenizer.to_str())
    vocabulary = result["model"]["vocab"]
    for word in ("\u0120Wikipedia", "\u0120television", "Tokenizer", "\u0120and\u0120", "'ll"):
        vocabulary.setdefault(word, len(vocabulary))  # found whole only because merges are ignored
    size = len(vocabulary)
    result["added_tokens"] = [added(size, "<|begin_of_text|>"), added(size + 1, "<|eot_id|>")]
    begin = template("<|begin_of_text|> $A", "<|begin_of_text|> $A <|begin_of_text|>:1 $B:1", [("<|begin_of_text|>", size)])
    result["post_processor"] = {"type": "Sequence", "processors": [
        component(processors.ByteLevel(add_prefix_space=True, trim_offsets=False, use_regex=True)), component(begin)]}
    return result


def write(name, value):
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    (OUTPUT / f"{name}.json").write_text(text + "\n", encoding="utf-8")


def main():
    lines = training_lines(pathlib.Path(sys.argv[1]))
    OUTPUT.mkdir(parents=True, exist_ok=True)
    unigram = train_sentencepiece(lines, "unigram", 1200, "nmt_nfkc", pad_id=0, eos_id=1, unk_id=2, bos_id=-1)
    (OUTPUT / "unigram.model.gz").write_bytes(gzip.compress(unigram.SerializeToString(), 9, mtime=0))
    for name, value in unigram_variants(unigram).items():
        write(name, value)
    bpe = train_sentencepiece(lines, "bpe", 1200, "identity", unk_id=0, bos_id=1, eos_id=2, pad_id=-1,
                              remove_extra_whitespaces=False, split_digits=True)
    (OUTPUT / "bpe.model").write_bytes(bpe.SerializeToString())
    write("bpe_llama2", llama2_json(bpe))
    write("byte_level_llama3", llama3_json(lines))


if __name__ == "__main__":
    main()
