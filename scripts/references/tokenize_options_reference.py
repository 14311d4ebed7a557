#!/usr/bin/env python3
"""Writes tests/data/tokenizer/options.json: pairs, limits, strides, sides and decoded ids by Hugging Face `tokenizers`.

    python3 -m venv /tmp/venv-hf && /tmp/venv-hf/bin/pip install tokenizers
    /tmp/venv-hf/bin/python scripts/references/tokenize_options_reference.py

The tokenizers are small and stand whole in the file, with BERT's arrangement, RoBERTa's and none. A case is a
command line of `transformeter tokenize` and the encodings it must show: with a stride all windows, else one.
"""
import json
import pathlib

import tokenizers
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors

OUTPUT = pathlib.Path(__file__).resolve().parents[2] / "tests/data/tokenizer/options.json"
TEXT = "Who wrote the story?"
PASSAGE = "An unknown writer, they say, wrote the unreadable story in one night, by the sea."
TEXTS = [TEXT, PASSAGE, "é the sea", "日本語のテキスト", ""]
PAIRS = [(TEXT, PASSAGE), (PASSAGE, TEXT), (TEXT, ""), ("", "the sea")]
WORDS = ("who wrote the story ? an un ##known writer , they say ##read ##able in one night by sea . e [PAD]").split()


def bert():
    vocabulary = {word: i for i, word in enumerate(["[UNK]", "[CLS]", "[SEP]", *WORDS])}
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 2), ("[CLS]", 1))
    tokenizer.add_special_tokens(["[UNK]", "[CLS]", "[SEP]", "[PAD]"])
    return tokenizer


def roberta():
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocabulary = {token: i for i, token in enumerate(["<s>", "</s>", *alphabet, "th", "the", "Ġthe", "ry"])}
    tokenizer = Tokenizer(models.BPE(vocabulary, [("t", "h"), ("th", "e"), ("Ġ", "the"), ("r", "y")]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.post_processor = processors.RobertaProcessing(("</s>", 1), ("<s>", 0), add_prefix_space=False)
    tokenizer.add_special_tokens(["<s>", "</s>"])
    return tokenizer


def word_level():
    """Words of four characters, counted also where a character has several bytes."""
    words = ["<unk>", "the", "sea", "é", "stor", "y?", "writ", "er,", "日本語の", "one", "nigh"]
    tokenizer = Tokenizer(models.WordLevel({word: i for i, word in enumerate(words)}, unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), pre_tokenizers.FixedLength(4)])
    return tokenizer


def shown(encoding, is_pair):
    result = {"ids": encoding.ids, "tokens": encoding.tokens, "type_ids": encoding.type_ids,
              "offsets": [list(place) for place in encoding.offsets]}
    if is_pair:
        result["sequence_ids"] = encoding.sequence_ids
    return result


def encode(tokenizer, text, pair=None, max_length=None, stride=None, side=None, special=True):
    arguments = [text]
    tokenizer.no_truncation()
    if max_length is not None:
        strategy = "longest_first" if stride is None else "only_second"
        tokenizer.enable_truncation(max_length, stride=stride or 0, strategy=strategy, direction=side or "right")
    for option, value in (("--pair", pair), ("--max-length", max_length), ("--stride", stride), ("--truncation-side", side)):
        if value is not None:
            arguments += [option, str(value)]
    if not special:
        arguments.append("--no-special-tokens")
    encoding = tokenizer.encode(text, pair, add_special_tokens=special)
    texts = [shown(encoding, pair is not None)]
    # Without a post-processor, windows behind the first have lost which text their tokens are of.
    has_sequences = pair is not None and tokenizer.post_processor is not None
    texts += [shown(one, has_sequences) for one in encoding.overflowing] if stride is not None else []
    return {"arguments": arguments, "texts": texts}


def cases(tokenizer):
    for text in TEXTS:
        yield encode(tokenizer, text)
        yield encode(tokenizer, text, max_length=5, side="left")
        yield encode(tokenizer, text, max_length=3, special=False)
    for text, pair in PAIRS:
        yield encode(tokenizer, text, pair)
        for length in (6, 13):
            for side in (None, "left"):
                yield encode(tokenizer, text, pair, max_length=length, side=side)
        yield encode(tokenizer, text, pair, max_length=8, special=False)
    tokenizer.no_truncation()
    room = len(tokenizer.encode(TEXT, "").ids)
    for extra, stride in ((4, 0), (5, 2), (9, 8), (300, 1)):
        yield encode(tokenizer, TEXT, PASSAGE, max_length=room + extra, stride=stride)
    tokenizer.no_truncation()
    ids = tokenizer.encode(TEXT, PASSAGE).ids
    for given in (ids, ids[3:9], ids[:1], []):
        for skip in (False, True):
            arguments = [" ".join(map(str, given)), "--decode"] + (["--skip-special-tokens"] if skip else [])
            yield {"arguments": arguments, "texts": [{"ids": given, "text": tokenizer.decode(given, skip_special_tokens=skip)}]}


def main():
    kinds = []
    for tokenizer in (bert(), roberta(), word_level()):
        config = json.loads(tokenizer.to_str())
        kinds.append({"tokenizer": config, "cases": list(cases(tokenizer))})
    text = json.dumps({"made_by": f"tokenizers {tokenizers.__version__}", "kinds": kinds}, separators=(",", ":"))
    OUTPUT.write_text(text.replace('{"arguments"', '\n{"arguments"') + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
