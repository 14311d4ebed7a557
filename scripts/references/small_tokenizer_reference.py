#!/usr/bin/env python3
"""Writes tests/data/tokenizers/{references,components,sentencepiece,decode}.json: what the originals make of texts.

    /tmp/venv-spm/bin/python scripts/references/small_tokenizer_reference.py SHARED_DATA [--sentencepiece]

(the environment of small_tokenizers.py, which writes the tokenizers themselves; --sentencepiece: sentencepiece.json alone, to
be run once more with each version of that library)

references.json    for each tokenizer of Hugging Face's form and each set what tokenizer_reference.py says of sets.json (without the first ids, and
                   `planes`: plane_texts() below, in place of code-points), and
                   decoded_sha256: of each text's ids, special tokens skipped, decoded, in UTF-8, and a line feed
sentencepiece.json the same of unigram.model.gz and bpe.model by the library sentencepiece; no special tokens; ids alone, and
                   decoded_sha256
decode.json        for tokenizers of SHARED_DATA and ours: the SHA-256 of 3,000 lists of random ids decoded, with special tokens
                   kept and then skipped, each followed by a line feed; the first ones written out
components.json    normalizers, pre-tokenizers and decoders alone: configuration, input, output
"""
import gzip
import hashlib
import json
import pathlib
import struct
import sys

import sentencepiece
import tokenizers
from sentencepiece import sentencepiece_model_pb2 as proto
from sentencepiece import sentencepiece_pb2 as text_proto
from tokenizers import Tokenizer

import tokenizer_reference as base
from small_tokenizers import META, OUTPUT, SPACES

import base64

NAMES = ("unigram_t5", "unigram_xlmr", "unigram_albert", "bpe_llama2", "byte_level_llama3")
SETS = ("wikitext-2-test", "sst2-train", "xquad-en", "xquad-zh", "random")
HAND_MADE = base.HAND_MADE + [
    META, META * 3 + "a" + META, " " + META + " a", "a  b   c ", "  a", "a ", "\u3000a\u3000", "a\r\nb\r\n", "\r\n\u0301", "ab\r\u0301c",
    "</s> a </s>b", "<extra_id_0>x", "a <mask> b", "<s>a<unk>b", "\u3000\u0301x", "\u00bd\u0301 \u2122\u0301", "\u0915\u094d\u0915\u0301", "\ufdfa \ufdfb",
    "\u0600a \u0600\u00bd", "e\u0301\u0301", "\u1100\u1161\u11a8\u0301", "\uac00\u11a8", "\uff76\uff9e", "\U0001F1E9\U0001F1EA\u0301", "x\u200d\u00ae\u0301",
    "<0x41> <0x0A>", "\U00010FFFF"[:1], "Wikipedia television Tokenizer's we'll WE'LL", "1234567 89", "\n\n  \n x"]


def plane_texts():
    """"x" + c + "y" for code points, 32 to a text: every one below 0x20000, further on every 64th."""
    points = [c for c in range(0x110000) if not 0xD800 <= c <= 0xDFFF and (c < 0x20000 or c % 64 == 0 or c >> 9 == 0xE0000 >> 9)]
    return ["".join(f"x{chr(c)}y" for c in points[i:i + 32]) for i in range(0, len(points), 32)]


def charsmap():
    model = proto.ModelProto()
    model.ParseFromString(gzip.decompress((OUTPUT / "unigram.model.gz").read_bytes()))
    return base64.b64encode(model.normalizer_spec.precompiled_charsmap).decode()


def filled(value, characters):
    """`value` with every "precompiled_charsmap": null filled in."""
    if isinstance(value, list):
        return [filled(item, characters) for item in value]
    if isinstance(value, dict):
        return {key: characters if key == "precompiled_charsmap" and item is None else filled(item, characters)
                for key, item in value.items()}
    return value


def load(name, characters):
    value = json.loads((OUTPUT / f"{name}.json").read_text("utf-8"))
    return Tokenizer.from_str(json.dumps(filled(value, characters)))


def decoded_digest(texts, encode, decode):
    digest = hashlib.sha256()
    for text in texts:
        digest.update((decode(encode(text)) + "\n").encode("utf-8"))
    return digest.hexdigest()


def hugging_face_references(sets, characters):
    result = {}
    for name in NAMES:
        tokenizer = load(name, characters)
        result[name] = {}
        for which, texts in sets.items():
            summary = base.stream_summary(tokenizer, texts)
            del summary["first"]
            summary["decoded_sha256"] = decoded_digest(texts, lambda t: tokenizer.encode(t).ids, tokenizer.decode)
            result[name][which] = summary
        result[name]["cases"] = [case_of(tokenizer, text) for text in HAND_MADE]
    return result


def case_of(tokenizer, text):
    encoding = tokenizer.encode(text)
    return {"text": text, "ids": encoding.ids,
            "offsets": [place for pair in encoding.offsets for place in pair], "decoded": tokenizer.decode(encoding.ids)}


def sentencepiece_references(sets):
    """Digests by the library's version, those of other versions kept: versions differ in how ties of scores fall."""
    path, version = OUTPUT / "sentencepiece.json", sentencepiece.__version__
    result = json.loads(path.read_text("utf-8"))["models"] if path.exists() else {}
    for name in ("unigram.model.gz", "bpe.model"):
        data = (OUTPUT / name).read_bytes()
        processor = sentencepiece.SentencePieceProcessor(model_proto=gzip.decompress(data) if name.endswith(".gz") else data)
        model = result.setdefault(name, {})
        model["vocabulary_size"] = processor.vocab_size()
        for which, texts in sets.items():
            digest = hashlib.sha256()
            for text in texts:
                ids = processor.encode(text)
                digest.update(struct.pack(f"<{len(ids) + 1}i", *ids, -1))
            summary = model.setdefault(which, {"texts": len(texts)})
            summary.setdefault("sha256", {})[version] = digest.hexdigest()
            summary.setdefault("decoded_sha256", {})[version] = decoded_digest(texts, processor.encode, processor.decode)
        cases = []
        for text in HAND_MADE:
            ids = processor.encode(text)
            surfaces = proto_pieces(processor.encode(text, out_type="serialized_proto"))
            cases.append({"text": text, "ids": ids, "offsets": surfaces, "decoded": processor.decode(ids)})
        assert model.setdefault("cases", cases) == cases, "versions differ on the hand-made texts"
    return result


def proto_pieces(data):
    """Begin and end in bytes of each piece of a serialized SentencePieceText."""
    text = text_proto.SentencePieceText()
    text.ParseFromString(data)
    return [place for piece in text.pieces for place in (piece.begin, piece.end)]


def byte_level(folder, name, added):
    """Vocabulary and decoder alone: the rest plays no part in decoding."""
    vocabulary = json.loads((folder / name).read_text("utf-8"))
    tokenizer = Tokenizer(tokenizers.models.BPE(vocabulary, []))
    tokenizer.decoder = tokenizers.decoders.ByteLevel()
    tokenizer.add_special_tokens(added)
    return tokenizer


def decode_references(shared, characters):
    folder = shared / "tokenizers"
    kinds = {name: load(name, characters) for name in NAMES}
    for name in ("bert-base-uncased", "bert-base-cased", "gpt2"):
        kinds[name] = Tokenizer.from_file(str(folder / name / "tokenizer.json"))
    kinds["opt"] = byte_level(folder, "opt/vocab.json", ["<s>", "<pad>", "</s>", "<unk>"])
    kinds["qwen2"] = byte_level(folder, "qwen2/vocab.json", ["<|endoftext|>", "<|im_start|>", "<|im_end|>"])
    result = {}
    for name, tokenizer in kinds.items():
        stream, size, digest, first = base.SplitMix64(5), tokenizer.get_vocab_size(), hashlib.sha256(), []
        for i in range(3000):
            # one id in four is low, where special tokens and single bytes lie
            ids = [stream.below(min(300, size)) if stream.below(4) == 0 else stream.below(size)
                   for _ in range(stream.below(30))]
            for skip in (False, True):
                text = tokenizer.decode(ids, skip_special_tokens=skip)
                digest.update((text + "\n").encode("utf-8"))
                if i < 4:
                    first.append({"ids": ids, "skip_special_tokens": skip, "text": text})
        result[name] = {"vocabulary_size": size, "sha256": digest.hexdigest(), "first": first}
    return result


def metaspace(**options):
    return {"type": "Metaspace", "replacement": META, **options}


NORMALIZERS = [
    {"type": "Precompiled", "precompiled_charsmap": None}, {"type": "Nmt"}, SPACES, {"type": "Prepend", "prepend": META},
    {"type": "Strip", "strip_left": True, "strip_right": False}, {"type": "StripAccents"}, {"type": "Lowercase"},
    {"type": "NFKD"}, {"type": "Replace", "pattern": {"String": " "}, "content": META},
    {"type": "Replace", "pattern": {"Regex": "[aeiou] *"}, "content": "<>"},
    {"type": "Sequence", "normalizers": [{"type": "Nmt"}, {"type": "Precompiled", "precompiled_charsmap": None},
                                         {"type": "Prepend", "prepend": META}, SPACES]}]
PRE_TOKENIZERS = [metaspace(prepend_scheme=scheme, split=split) for scheme in ("always", "first", "never")
                  for split in (True, False)] + [
    metaspace(prepend_scheme="never", add_prefix_space=False, split=True),
    {"type": "Metaspace", "replacement": "_", "add_prefix_space": True}, {"type": "WhitespaceSplit"},
    {"type": "Sequence", "pretokenizers": [{"type": "WhitespaceSplit"}, metaspace(prepend_scheme="first", split=True)]}]
DECODERS = [
    metaspace(prepend_scheme="always", split=True), metaspace(prepend_scheme="never", split=True),
    metaspace(prepend_scheme="first", split=False), {"type": "ByteFallback"}, {"type": "Fuse"},
    {"type": "Replace", "pattern": {"String": META}, "content": " "}, {"type": "Strip", "content": " ", "start": 1, "stop": 0},
    {"type": "Strip", "content": "a", "start": 0, "stop": 1},
    {"type": "WordPiece", "prefix": "##", "cleanup": True}, {"type": "WordPiece", "prefix": "", "cleanup": False},
    {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True},
    {"type": "BPEDecoder", "suffix": "</w>"}, {"type": "CTC", "pad_token": "<pad>", "word_delimiter_token": "|", "cleanup": True},
    {"type": "CTC", "pad_token": "<pad>", "word_delimiter_token": "|", "cleanup": False},
    {"type": "Sequence", "decoders": [{"type": "Replace", "pattern": {"String": META}, "content": " "}, {"type": "ByteFallback"},
                                      {"type": "Fuse"}, {"type": "Strip", "content": " ", "start": 1, "stop": 0}]}]
TOKENS = [
    [META + "Hello", META + "wor", "ld"], ["<0xE5>", "<0x8f>", "<0xAB>", "a", "<0xE5>", "<0x8F>"], ["<0xZZ>", "<0x+1>", "<0x41>"],
    ["<0x00>", META, META], [" a", "  a", "aa", "a"], ["un", "##able", "do", "n't", ".", " ' ", "do not", "'s", ", ", "##"],
    ["\u0120a", "\u00e5\u0131\u00ab", "\u0120\u00e5", "x\u4e2d"], ["wor", "ld</w>", "x</w></w>", "y</w>"],
    ["h", "h", "<pad>", "h", "|", "|", "i", "i<pad>", " ."], ["a" + META + "b", " ", "aba"], [META + META + "x", "y" + META],
    ["\u00ef\u00bf", "\u00f0\u0141", "\u00e2\u0124", "!", "\u00ed\u0142\u0122"], ["one"]]


def component_references(characters):
    empty = json.loads(Tokenizer(tokenizers.models.WordLevel({"a": 0}, unk_token="a")).to_str())

    def part(kind, config):
        return getattr(Tokenizer.from_str(json.dumps({**empty, kind: filled(config, characters)})), kind)

    normalized = [{"config": c, "outputs": [part("normalizer", c).normalize_str(text) for text in HAND_MADE]}
                  for c in NORMALIZERS]
    split = [{"config": c, "outputs": [[[piece, *place] for piece, place in part("pre_tokenizer", c).pre_tokenize_str(text)]
                                       for text in HAND_MADE]} for c in PRE_TOKENIZERS]
    decoded = [{"config": c, "outputs": [part("decoder", c).decode(tokens) for tokens in TOKENS]} for c in DECODERS]
    return {"texts": HAND_MADE, "normalizers": normalized, "pre_tokenizers": split, "token_lists": TOKENS, "decoders": decoded}


def write(name, made_by, value):
    text = base.compact(json.dumps({"made_by": made_by, **value}, ensure_ascii=True, indent=1))
    (OUTPUT / name).write_text(text + "\n", encoding="utf-8")


def main():
    shared = pathlib.Path(sys.argv[1])
    sets = {name: texts for name, texts in base.load_sets(shared).items() if name in SETS}
    sets["planes"] = plane_texts()
    characters = charsmap()
    hugging_face = f"tokenizers {tokenizers.__version__}"
    write("sentencepiece.json", "sentencepiece, see the versions", {"models": sentencepiece_references(sets)})
    if "--sentencepiece" in sys.argv:
        return
    write("components.json", hugging_face, component_references(characters))
    write("decode.json", hugging_face, {"tokenizers": decode_references(shared, characters)})
    write("references.json", hugging_face, {"tokenizers": hugging_face_references(sets, characters)})


if __name__ == "__main__":
    main()
