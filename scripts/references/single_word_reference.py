#!/usr/bin/env python3
"""Beside which characters Hugging Face finds a single-word added token: tests/data/tokenizer/single_word.json.

One digit for each code point from 0 but surrogates, 1 where the token is found, hashed. Needs the PyPI package
`tokenizers`:

    python3 -m venv /tmp/venv-hf && /tmp/venv-hf/bin/pip install tokenizers
    /tmp/venv-hf/bin/python scripts/references/single_word_reference.py
"""
import hashlib
import json
import pathlib

import tokenizers
from tokenizers import AddedToken, Tokenizer
from tokenizers.models import BPE

OUTPUT = pathlib.Path(__file__).resolve().parents[2] / "tests/data/tokenizer/single_word.json"
POINTS = [c for c in range(0x110000) if not 0xD800 <= c <= 0xDFFF]


def sweep(tokenizer, text_of):
    found = "".join("1" if 1 in tokenizer.encode(text_of(chr(c))).ids else "0" for c in POINTS)
    return {"found": found.count("1"), "sha256": hashlib.sha256(found.encode()).hexdigest()}


def main():
    tokenizer = Tokenizer(BPE({"[UNK]": 0}, [], unk_token="[UNK]", fuse_unk=False))
    tokenizer.add_tokens([AddedToken("<t>", single_word=True, normalized=False)])
    OUTPUT.write_text(json.dumps({"made_by": f"tokenizers {tokenizers.__version__}",
                                  "before": sweep(tokenizer, lambda c: c + "<t>"),
                                  "behind": sweep(tokenizer, lambda c: "<t>" + c)}, indent=1) + "\n")


if __name__ == "__main__":
    main()
