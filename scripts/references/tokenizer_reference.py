#!/usr/bin/env python3
"""Writes tests/data/tokenizer/{sets,cases}.json: token ids by Hugging Face `tokenizers`, which ours must equal.

    python3 -m venv /tmp/venv-hf && /tmp/venv-hf/bin/pip install tokenizers
    /tmp/venv-hf/bin/python scripts/references/tokenizer_reference.py SHARED_DATA

Variants: {uncased,cased}_{json,vocab}: bert-base-uncased or -cased of SHARED_DATA/tokenizers, from its tokenizer.json, or
from its vocab.txt alone (BertWordPieceTokenizer, lower-casing for uncased).

sets.json: for each variant and set the number of texts and ids, the SHA-256 of the id stream and the first three texts'
ids. The id stream is, for each text in order, its ids with special tokens and then -1, each a little-endian 32-bit
signed integer. Sets:
    sst2-dev, sst2-train, sst2-test   the sentence column, bytes between the separators, lines split at LF only
    xquad-zh                          context, then its questions, of every paragraph in order
    code-points                       "x" + c + "y" for every code point c from 0 to 0x10FFFF but the surrogates

cases.json: texts with the ids of every variant; pairs with ids and type ids under a max_length, longest_first.
"""
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

    chinese = []
    for article in json.loads((shared / "xquad/xquad.zh.json").read_text("utf-8"))["data"]:
        for paragraph in article["paragraphs"]:
            chinese.append(paragraph["context"])
            chinese += [question["question"] for question in paragraph["qas"]]
    points = [f"x{chr(c)}y" for c in range(0x110000) if not 0xD800 <= c <= 0xDFFF]
    return {"sst2-dev": column("dev.tsv", 0), "sst2-train": column("train.tsv", 0), "sst2-test": column("test.tsv", 1),
            "xquad-zh": chinese, "code-points": points}


def stream_summary(tokenizer, texts):
    digest, total, first = hashlib.sha256(), 0, []
    for begin in range(0, len(texts), 20000):
        for encoding in tokenizer.encode_batch(texts[begin:begin + 20000]):
            ids = encoding.ids
            digest.update(struct.pack(f"<{len(ids) + 1}i", *ids, -1))
            total += len(ids)
            if len(first) < 3:
                first.append(ids)
    return {"texts": len(texts), "ids": total, "sha256": digest.hexdigest(), "first": first}


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
    cases = [{"text": text, "ids": {name: tokenizer.encode(text).ids for name, tokenizer in variants.items()}}
             for text in HAND_MADE + random_texts()]
    pairs = [pair_case(variants["uncased_json"], pair, length) for pair in PAIRS for length in MAX_LENGTHS]
    write("cases.json", {"made_by": f"tokenizers {tokenizers.__version__}", "cases": cases, "pairs": pairs})


if __name__ == "__main__":
    main()
