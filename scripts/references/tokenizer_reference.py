#!/usr/bin/env python3
"""Writes tests/data/tokenizer/{sets,cases}.json: token ids by Hugging Face `tokenizers`, which ours must equal.

    python3 -m venv /tmp/venv-hf && /tmp/venv-hf/bin/pip install tokenizers
    /tmp/venv-hf/bin/python scripts/references/tokenizer_reference.py SHARED_DATA

Variants: {uncased,cased}_{json,vocab}: bert-base-uncased or -cased of SHARED_DATA/tokenizers, from its tokenizer.json, or
from its vocab.txt alone (BertWordPieceTokenizer, lower-casing for uncased).

sets.json: for each variant and set the number of texts and ids, the SHA-256 of three streams and the first three texts'
ids. Streams, for each text in order, special tokens included:
    sha256           its ids and then -1, each a little-endian 32-bit signed integer
    offsets_sha256   begin and end of each token in characters and then -1, in the same form
    tokens_sha256    each token in UTF-8 and a line feed, then a line feed
Sets:
    sst2-dev, sst2-train, sst2-test   the sentence column, bytes between the separators, lines split at LF only
    xquad-en, xquad-zh                context, then its questions, of every paragraph in order
    wikitext-2-{test,valid,train}     the lines, split at LF only
    code-points                       "x" + c + "y" for every code point c from 0 to 0x10FFFF but the surrogates
    random                            random_stream_texts(), which tests/tokenizers/huggingface_integration_test.cpp repeats

cases.json: texts with the ids of every variant, and tokens and offsets of uncased_json; pairs with ids and type ids under
a max_length, longest_first.
"""
import gzip
import hashlib
import json
import pathlib
import random
import struct
import sys

import tokenizers

ROOT = pathlib.Path(__file__).resolve().parents[2]
OUTPUT = ROOT / "tests/data/tokenizer"

HAND_MADE = [
    "", " ", "\t\n\r", "Hello, world!", "don't can't I'll", "naïve café RÉSUMÉ Ångström", "e\u0301 E\u0301 \u0301",
    "我喜欢trans变压器", "日本語のテキスト", "한국어 문장", "Привет, мир", "İstanbul ISPARTA ıI", "ﬁne Ǆ ß ẞ",
    "a\u0000b a\ufffdb a\u200bb a\u00adb a\u0007b", "tab\there\u00a0and\u3000there\u2028now", "\x0b\x0c\x85x",
    "😀 smile 🚀 🏴\U000e0067\U000e007f", "👩‍👩‍👧", "x" * 100, "x" * 101, "é" * 100, "é" * 101, "e\u0301" * 100,
    "supercalifragilisticexpialidocious antidisestablishmentarianism", "[CLS] not [SEP] here", "the [MASK] sat.",
    "[mask] [Mask] [MASK", "a[MASK]b", "[PAD] a[PAD] [PAD]b a [PAD] b", "  [PAD]  [PAD]  ", "[pad] x [pad]", "[UNK][UNK]",
    "[PAD]é [pad]. ([PAD])", "##ing ## #", "…“quoted” — dash – ‘single’ ¿qué? ¡sí!", "1,234.56 $5 €7 £8 ^ ` ~ | < > = +",
    "a\u0327\u0301 \u1e69 s\u0323\u0307 \u302ea\u0301\u302e", "\u0958\u093c क़", "ẛ̣ ﷺ ①②", "\U00011938 \U0001109a",
    "ΑΣ ΟΔΟΣ", "Ⅷ ⅷ ＡＢＣ", "a\u180eb\u2060c\ufeffd", "𝔸𝕓𝒸", "\U0002b740\U0002b820\U0002ceb0", "【】「」、。！？",
]
PAIRS = [("the first text", "and the second one"), ("short", "a much longer second text with many more words in it"),
         ("a much longer first text with many more words in it", "short"), ("", "only second"), ("only first", ""),
         ("one two three four five six seven", "eight nine ten eleven twelve thirteen fourteen fifteen")]
MAX_LENGTHS = [None, 3, 4, 8, 9, 12, 16]


def random_texts(count=150):
    """Mixtures of ordinary words with every kind of awkward character, seeded."""
    rng = random.Random(20240607)
    words = "The quick Brown fox's re-entry über naïve [MASK] [PAD] [SEP] [pad] ##ed 3.14 UNBELIEVABLE tokenization".split()
    blocks = [(0, 0x7F), (0x80, 0x24F), (0x300, 0x36F), (0x370, 0x5FF), (0x600, 0x6FF), (0x900, 0xDFF), (0x1E00, 0x206F),
              (0x2070, 0x2BFF), (0x3000, 0x30FF), (0x4E00, 0x9FFF), (0xAC00, 0xD7A3), (0xF900, 0xFFFD),
              (0x10000, 0x1F9FF), (0x20000, 0x2FA1F), (0xE0000, 0xE01EF)]
    texts = []
    for _ in range(count):
        text = ""
        for _ in range(rng.randint(1, 12)):
            if rng.random() < 0.5:
                text += rng.choice(words)
            else:
                first, last = rng.choice(blocks)
                text += "".join(chr(rng.randint(first, last)) for _ in range(rng.randint(1, 4)))
            text += rng.choice(["", " ", " ", "  "])
        texts.append(text)
    return texts


class SplitMix64:
    """src/shared/base/random.cpp's RandomStream."""

    MASK = (1 << 64) - 1

    def __init__(self, seed):
        self.state = seed

    def next(self):
        self.state = (self.state + 0x9E3779B97F4A7C15) & self.MASK
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & self.MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & self.MASK
        return z ^ (z >> 31)

    def below(self, bound):
        threshold = (1 << 64) % bound
        value = self.next()
        while value < threshold:
            value = self.next()
        return value % bound


# Weight of each kind of character, and the blocks it is drawn from.
RANDOM_KINDS = [(8, [(0x20, 0x7E)]), (4, [(0x20, 0x20)]), (3, [(0xA1, 0x52F)]), (2, [(0x1, 0x1F)]),
                (4, [(0x300, 0x36F), (0x591, 0x5C7), (0x610, 0x61A), (0x900, 0xDFF), (0x1AB0, 0x1AFF), (0x1DC0, 0x1DFF),
                     (0x20D0, 0x20F0), (0xA8E0, 0xA8F1), (0x10A01, 0x10A3F), (0x11000, 0x1147F), (0x1E000, 0x1E02A)]),
                (3, [(0x3041, 0x30FF), (0x4E00, 0x9FFF), (0xAC00, 0xD7A3), (0xF900, 0xFAFF)]),
                (2, [(0x1E00, 0x206F), (0x1F300, 0x1FAFF)]), (3, [(0x0, 0xD7FF), (0xE000, 0x10FFFF)])]


def random_stream_texts(count=20000):
    """Texts of 1 to 40 characters of every kind, unassigned ones too."""
    stream, total = SplitMix64(20240607), sum(weight for weight, _ in RANDOM_KINDS)
    texts = []
    for _ in range(count):
        text = ""
        for _ in range(1 + stream.below(40)):
            place, kind = stream.below(total), 0
            while place >= RANDOM_KINDS[kind][0]:
                place -= RANDOM_KINDS[kind][0]
                kind += 1
            blocks = RANDOM_KINDS[kind][1]
            first, last = blocks[stream.below(len(blocks))]
            text += chr(first + stream.below(last - first + 1))
        texts.append(text)
    return texts


def load_variants(shared):
    variants = {}
    for name in ("uncased", "cased"):
        folder = shared / f"tokenizers/bert-base-{name}"
        variants[f"{name}_json"] = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
        words = tokenizers.BertWordPieceTokenizer(str(folder / "vocab.txt"), lowercase=name == "uncased")
        variants[f"{name}_vocab"] = words._tokenizer
    for tokenizer in variants.values():
        tokenizer.no_padding()
        tokenizer.no_truncation()
    return variants


def load_sets(shared):
    def column(name, index):
        lines = (shared / "sst2" / name).read_bytes().decode("utf-8").split("\n")
        return [line.split("\t")[index] for line in lines[1:] if line]

    def xquad(language):
        texts = []
        for article in json.loads((shared / f"xquad/xquad.{language}.json").read_text("utf-8"))["data"]:
            for paragraph in article["paragraphs"]:
                texts.append(paragraph["context"])
                texts += [question["question"] for question in paragraph["qas"]]
        return texts

    def lines(name):
        data = (shared / "wikitext-2" / name).read_bytes()
        return (gzip.decompress(data) if name.endswith(".gz") else data).decode("utf-8").split("\n")

    points = [f"x{chr(c)}y" for c in range(0x110000) if not 0xD800 <= c <= 0xDFFF]
    return {"sst2-dev": column("dev.tsv", 0), "sst2-train": column("train.tsv", 0), "sst2-test": column("test.tsv", 1),
            "xquad-en": xquad("en"), "xquad-zh": xquad("zh"), "wikitext-2-test": lines("test.txt"),
            "wikitext-2-valid": lines("valid.txt"), "wikitext-2-train": lines("train.txt.gz"), "code-points": points,
            "random": random_stream_texts()}


def stream_summary(tokenizer, texts):
    digests = {"sha256": hashlib.sha256(), "offsets_sha256": hashlib.sha256(), "tokens_sha256": hashlib.sha256()}
    total, first = 0, []
    for begin in range(0, len(texts), 20000):
        for encoding in tokenizer.encode_batch(texts[begin:begin + 20000]):
            ids = encoding.ids
            offsets = [place for pair in encoding.offsets for place in pair]
            digests["sha256"].update(struct.pack(f"<{len(ids) + 1}i", *ids, -1))
            digests["offsets_sha256"].update(struct.pack(f"<{len(offsets) + 1}i", *offsets, -1))
            digests["tokens_sha256"].update("".join(token + "\n" for token in [*encoding.tokens, ""]).encode("utf-8"))
            total += len(ids)
            if len(first) < 3:
                first.append(ids)
    return {"texts": len(texts), "ids": total, **{name: digest.hexdigest() for name, digest in digests.items()},
            "first": first}


def pair_case(tokenizer, pair, max_length):
    if max_length is None:
        tokenizer.no_truncation()
    else:
        tokenizer.enable_truncation(max_length, strategy="longest_first")
    encoding = tokenizer.encode(*pair)
    tokenizer.no_truncation()
    return {"first": pair[0], "second": pair[1], "max_length": max_length, "ids": encoding.ids,
            "type_ids": encoding.type_ids}


def write(name, value):
    """JSON with one list element or innermost member a line."""
    text = json.dumps(value, ensure_ascii=True, indent=1)
    (OUTPUT / name).write_text(compact(text) + "\n", encoding="utf-8")


def compact(text):
    import re
    return re.sub(r"\[\s*(-?\d+(?:,\s*-?\d+)*)\s*\]", lambda m: "[" + re.sub(r"\s+", "", m.group(1)) + "]", text)


def main():
    shared = pathlib.Path(sys.argv[1])
    OUTPUT.mkdir(parents=True, exist_ok=True)
    variants, sets = load_variants(shared), load_sets(shared)
    write("sets.json", {"made_by": f"tokenizers {tokenizers.__version__}",
                        "variants": {variant: {name: stream_summary(tokenizer, texts) for name, texts in sets.items()}
                                     for variant, tokenizer in variants.items()}})
    cases = []
    for text in HAND_MADE + random_texts():
        shown = variants["uncased_json"].encode(text)
        cases.append({"text": text, "ids": {name: tokenizer.encode(text).ids for name, tokenizer in variants.items()},
                      "tokens": shown.tokens, "offsets": [place for pair in shown.offsets for place in pair]})
    pairs = [pair_case(variants["uncased_json"], pair, length) for pair in PAIRS for length in MAX_LENGTHS]
    write("cases.json", {"made_by": f"tokenizers {tokenizers.__version__}", "cases": cases, "pairs": pairs})


if __name__ == "__main__":
    main()
