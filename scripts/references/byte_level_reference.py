#!/usr/bin/env python3
"""Writes tests/data/tokenizer/{byte_level,components}.json: ids and offsets by Hugging Face `tokenizers`, which ours must
equal.

    python3 -m venv /tmp/venv-hf && /tmp/venv-hf/bin/pip install tokenizers
    /tmp/venv-hf/bin/python scripts/references/byte_level_reference.py SHARED_DATA

byte_level.json: for each byte-level tokenizer and set what tokenizer_reference.py's sets.json holds. Tokenizers: gpt2 from
its tokenizer.json; qwen2, opt and roberta from vocab.json and merges.txt with the components they are published with
(roberta on OPT's files, which are the same). Also windows of question and passage, and truncation from both sides.

components.json: for each of many small tokenizer.json files, kept there too, the ids, tokens and offsets of awkward
texts: every normalizer, pre-tokenizer, model option and post-processor at least once.
"""
import json
import pathlib
import sys

import tokenizers
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors

from tokenizer_reference import HAND_MADE, OUTPUT, load_sets, random_texts, stream_summary, write

QWEN2_PATTERN = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+"
                 r"|\s+(?!\S)|\s+")
SETS = ["sst2-train", "wikitext-2-test", "xquad-en", "xquad-zh", "random", "code-points"]


def byte_level(folder, added):
    vocab, merges = str(folder / "vocab.json"), str(folder / "merges.txt")
    tokenizer = Tokenizer(models.BPE.from_file(vocab, merges))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens([AddedToken(token, lstrip=token == "<mask>") for token in added])
    return tokenizer


def load_tokenizers(shared):
    folder = shared / "tokenizers"
    gpt2 = Tokenizer.from_file(str(folder / "gpt2/tokenizer.json"))
    qwen2 = byte_level(folder / "qwen2", ["<|endoftext|>", "<|im_start|>", "<|im_end|>"])
    qwen2.normalizer = normalizers.NFC()
    qwen2.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Split(Regex(QWEN2_PATTERN), "isolated"),
         pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])
    opt_tokens = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    opt = byte_level(folder / "opt", opt_tokens)
    opt.post_processor = processors.TemplateProcessing(single="</s> $A", pair="</s> $A </s>:1 $B:1",
                                                       special_tokens=[("</s>", 2)])
    roberta = byte_level(folder / "opt", opt_tokens)
    roberta.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0), trim_offsets=True,
                                                          add_prefix_space=False)
    for tokenizer in (gpt2, qwen2, opt, roberta):
        tokenizer.no_padding()
        tokenizer.no_truncation()
    return {"gpt2": gpt2, "qwen2": qwen2, "opt": opt, "roberta": roberta}


def window_cases(shared, variants):
    """Windows over passages of XQuAD, and truncation from both sides."""
    data = json.loads((shared / "xquad/xquad.en.json").read_text("utf-8"))["data"]
    variants = {**variants, "bert": Tokenizer.from_file(str(shared / "tokenizers/bert-base-uncased/tokenizer.json"))}
    variants["bert"].no_padding()
    cases = []
    for name in ("bert", "roberta"):
        tokenizer = variants[name]
        for article, (length, stride) in zip(data, [(64, 16), (96, 32), (128, 0), (384, 128), (40, 5)]):
            paragraph = article["paragraphs"][0]
            question, passage = paragraph["qas"][0]["question"], paragraph["context"]
            tokenizer.enable_truncation(length, stride=stride, strategy="only_second")
            first = tokenizer.encode(question, passage)
            windows = [{"ids": w.ids, "type_ids": w.type_ids, "offsets": [p for pair in w.offsets for p in pair]}
                       for w in [first, *first.overflowing]]
            tokenizer.enable_truncation(length, direction="left")
            left = tokenizer.encode(passage).ids
            tokenizer.no_truncation()
            cases.append({"tokenizer": name, "question": question, "passage": passage, "max_length": length,
                          "stride": stride, "windows": windows, "left": left})
    return cases


def words(*texts):
    """A small vocabulary: characters and words of the texts, in order of appearance."""
    found = {"<unk>": 0, "<s>": 1, "</s>": 2}
    for text in texts:
        for piece in [*text, *text.split()]:
            found.setdefault(piece, len(found))
    return found


ALPHABET = "".join(chr(c) for c in range(33, 127)) + " \u2581éàüßñçøAÄ我日ǆ'’1234567890"


def small_bpe(**options):
    vocab, merges = words(ALPHABET), []
    for left, right in [("t", "h"), ("th", "e"), ("i", "n"), ("a", "n"), ("an", "d"), ("o", "n"), ("e", "r"), ("q", "u"),
                        (" ", "the"), ("\u2581", "the"), ("l", "l"), ("1", "2"), ("12", "3")]:
        merges.append((left, right))
        vocab.setdefault(left + right, len(vocab))
    for byte in range(256) if options.get("byte_fallback") else []:
        vocab.setdefault(f"<0x{byte:02X}>", len(vocab))
    return models.BPE(vocab, merges, **options)


def marked_bpe():
    """With a mark inside words and another at their end."""
    vocab = {"<unk>": 0}
    for c in "abcdehnrt":
        for token in (c, "##" + c, c + "</w>", "##" + c + "</w>"):
            vocab[token] = len(vocab)
    merges = [("t", "##h"), ("th", "##e</w>"), ("##a", "##n"), ("##b", "##c</w>")]
    for left, right in merges:
        vocab[left + right[2:]] = len(vocab)
    return models.BPE(vocab, merges, unk_token="<unk>", continuing_subword_prefix="##", end_of_word_suffix="</w>")


def component_tokenizers():
    p, n = pre_tokenizers, normalizers
    plain = {"unk_token": "<unk>"}
    made = {}

    def add(name, model=None, normalizer=None, pre_tokenizer=None, post_processor=None, added=()):
        tokenizer = Tokenizer(model or small_bpe(**plain))
        if normalizer:
            tokenizer.normalizer = normalizer
        if pre_tokenizer:
            tokenizer.pre_tokenizer = pre_tokenizer
        if post_processor:
            tokenizer.post_processor = post_processor
        tokenizer.add_tokens(list(added))
        made[name] = tokenizer

    for name in ("NFC", "NFD", "NFKC", "NFKD", "Lowercase", "StripAccents", "Nmt"):
        if name != "Nmt":
            add(name, normalizer=getattr(n, name)())
    add("StripLeft", normalizer=n.Strip(right=False))
    add("Strip", normalizer=n.Strip())
    add("NfdStripAccentsLower", normalizer=n.Sequence([n.NFD(), n.StripAccents(), n.Lowercase()]))
    add("PrependReplace", normalizer=n.Sequence([n.Prepend("\u2581"), n.Replace(" ", "\u2581")]))
    add("ReplaceRegex", normalizer=n.Replace(Regex(r"\s{2,}|(?<=e)l*"), " the"))
    add("Whitespace", pre_tokenizer=p.Whitespace())
    add("WhitespaceSplit", pre_tokenizer=p.WhitespaceSplit())
    add("Digits", pre_tokenizer=p.Digits(True))
    add("DigitsTogether", pre_tokenizer=p.Digits(False))
    add("Delimiter", pre_tokenizer=p.CharDelimiterSplit("e"))
    for behavior in ("removed", "isolated", "merged_with_previous", "merged_with_next", "contiguous"):
        add("Punctuation " + behavior, pre_tokenizer=p.Punctuation(behavior))
        add("Split " + behavior, pre_tokenizer=p.Split(Regex(r"\s|e"), behavior))
        add("Split inverted " + behavior, pre_tokenizer=p.Split(Regex(r"\p{L}+"), behavior, invert=True))
        add("Split string " + behavior, pre_tokenizer=p.Split("he", behavior))
    add("Sequence", pre_tokenizer=p.Sequence([p.WhitespaceSplit(), p.Punctuation(), p.Digits(True)]))
    add("no unk", small_bpe())
    add("fuse_unk", small_bpe(unk_token="<unk>", fuse_unk=True))
    add("byte_fallback", small_bpe(unk_token="<unk>", fuse_unk=True, byte_fallback=True))
    add("ignore_merges", small_bpe(unk_token="<unk>", ignore_merges=True), pre_tokenizer=p.WhitespaceSplit())
    add("marked", marked_bpe(), pre_tokenizer=p.WhitespaceSplit())
    add("bert processing", post_processor=processors.BertProcessing(("</s>", 2), ("<s>", 1)))
    add("roberta processing", post_processor=processors.RobertaProcessing(("</s>", 2), ("<s>", 1)))
    add("sequence processing", post_processor=processors.Sequence(
        [processors.ByteLevel(trim_offsets=True),
         processors.TemplateProcessing(single="<s> $A", pair="<s> $A </s> $B:1", special_tokens=[("<s>", 1), ("</s>", 2)])]))
    add("added", normalizer=n.Lowercase(), added=[AddedToken("Day", normalized=True), AddedToken("[X]", normalized=False),
                                                  AddedToken("the", single_word=True, normalized=False),
                                                  AddedToken("<m>", lstrip=True, rstrip=True, normalized=False)])
    byte_vocab = {token: i for i, token in enumerate(sorted(p.ByteLevel.alphabet()))}
    byte_vocab["Ġt"] = len(byte_vocab)
    for name, options in {"byte level": {}, "byte level plain": {"use_regex": False},
                          "byte level no prefix": {"add_prefix_space": False}}.items():
        add(name, models.BPE(byte_vocab, [("Ġ", "t")]), pre_tokenizer=p.ByteLevel(**options),
            post_processor=processors.ByteLevel(trim_offsets=True))
    return made


def write_lines(name, value):
    """JSON with one model or component a line."""
    members = []
    for key, item in value.items():
        texts = [json.dumps(part, separators=(",", ":")) for part in item] if isinstance(item, list) else [json.dumps(item)]
        members.append(json.dumps(key) + ":" + ("[\n" + ",\n".join(texts) + "]" if isinstance(item, list) else texts[0]))
    (OUTPUT / name).write_text("{" + ",\n".join(members) + "}\n", encoding="utf-8")


COMPONENT_TEXTS = ["", " ", "the  quick (12345) and ell  ", "Hello, they're the 12½³Ⅷ end!", "a\tb\n\nc\r\n d", "éÉ e\u0301E\u0301 \u212b \ufb01 ①",
                   "the[X]the day Day DAY <m> x the", "İstanbul ΑΣ ß ẞ", "我喜欢 the 日本語ǆ", "a\u0327\u0301 \u1e69 \u302e한국어\u1112\u1161\u11ab", "x_y-z…“the”'s 'S 'ſ",
                   "\u00a0the\u3000\u2028end\u0085", "\u0301the e\u0301", "   12 123 1,234.5 ", "ablbll ell  el"]


def main():
    shared = pathlib.Path(sys.argv[1])
    variants, sets = load_tokenizers(shared), load_sets(shared)
    write("byte_level.json", {
        "made_by": f"tokenizers {tokenizers.__version__}",
        "variants": {variant: {name: stream_summary(tokenizer, sets[name]) for name in SETS}
                     for variant, tokenizer in variants.items()},
        "cases": [{"text": text, "ids": {name: variants[name].encode(text).ids for name in ("gpt2", "qwen2")}}
                  for text in HAND_MADE + random_texts()],
        "windows": window_cases(shared, variants)})
    components, shared_models = [], []
    for name, tokenizer in component_tokenizers().items():
        cases = []
        for text in COMPONENT_TEXTS:
            encoding = tokenizer.encode(text)
            pair = tokenizer.encode(text, "the end")
            cases.append({"ids": encoding.ids, "offsets": [p for pair in encoding.offsets for p in pair],
                          "pair_ids": pair.ids, "pair_type_ids": pair.type_ids})
        description = json.loads(tokenizer.to_str())
        if description["model"] not in shared_models:
            shared_models.append(description["model"])
        description["model"] = shared_models.index(description["model"])  # most have the same one
        components.append({"name": name, "tokenizer": description, "cases": cases})
    write_lines("components.json", {"made_by": f"tokenizers {tokenizers.__version__}", "texts": COMPONENT_TEXTS,
                                    "models": shared_models, "components": components})


if __name__ == "__main__":
    main()
