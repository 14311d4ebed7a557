#!/usr/bin/env python3
"""Word and character error rates by jiwer.

Writes tests/data/scores/transcripts.json, which the tests of src/shared/tasks hold ours to. Run it in a virtual environment:
    python3 -m venv /tmp/venv && /tmp/venv/bin/pip install jiwer==4.0.0
    /tmp/venv/bin/python scripts/references/transcript_reference.py
"""
import argparse
import importlib.metadata
import json
import pathlib
import random

import jiwer

ROOT = pathlib.Path(__file__).resolve().parents[2]

WORDS = ("and so my fellow Americans, ask not what your country can do for you — mister quilter is the apostle of the "
         "middle classes 中文 naïve e\u0301 I'm don't 3.5 a a the the").split()
SPACES = (" ", " ", " ", "  ", "\t", "\n", " \t", "\u3000", "\u00a0", "\u2003 ", "\x1c")
SENTENCES = [
    ["hello world", "hello world"],
    ["hello world", "Hello, world!"],
    ["hello world", ""],
    ["", "hello world"],
    ["", ""],
    ["  leading and trailing ", "leading and trailing"],
    ["one  two", "one two"],
    ["one\ttwo", "one two"],
    ["one\t\ttwo", "one two"],
    ["one\u3000two", "one two"],
    ["one\u3000\u3000two", "one two"],
    ["\u200bone", "one"],
    ["e\u0301", "\u00e9"],
    ["a b c d", "d c b a"],
    ["a b c", "a x b y c"],
    ["kitten", "sitting"],
    ["And so my fellow Americans, ask not what your country can do for you",
     "AND SO MY FELLOW AMERICANS ASK NOT WHAT YOUR COUNTRY CAN DO FOR YOU"],
]


def sentence(draw, words):
    return "".join(word + draw.choice(SPACES) for word in words)


def changed(draw, words):
    said = []
    for word in words:
        way = draw.random()
        if way < 0.1:
            continue
        said.append(draw.choice(WORDS) if way < 0.2 else word.upper() if way < 0.25 else word[:-1] if way < 0.3 else word)
        if draw.random() < 0.1:
            said.append(draw.choice(WORDS))
    return said


def counts(output):
    return {"edits": output.substitutions + output.deletions + output.insertions,
            "units": output.hits + output.substitutions + output.deletions}


def corpus(pairs):
    references, transcripts = [list(texts) for texts in zip(*pairs)]
    rows = [{"words": counts(jiwer.process_words(*pair)), "characters": counts(jiwer.process_characters(*pair))}
            for pair in pairs]
    return {"references": references, "transcripts": transcripts, "rows": rows,
            "word_error_rate": jiwer.wer(references, transcripts),
            "character_error_rate": jiwer.cer(references, transcripts),
            "mean_of_word_error_rates": sum(jiwer.wer(*pair) for pair in pairs if pair[0].strip())
            / sum(1 for pair in pairs if pair[0].strip())}


def random_pairs(draw, count):
    for _ in range(count):
        words = [draw.choice(WORDS) for _ in range(draw.randrange(0, 25))]
        yield [sentence(draw, words), sentence(draw, changed(draw, words))]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=pathlib.Path, default=ROOT / "tests/data/scores/transcripts.json")
    output = parser.parse_args().output
    draw = random.Random(7)
    reference = {"made_by": f"jiwer {importlib.metadata.version('jiwer')}",
                 "corpora": [corpus(SENTENCES), corpus(list(random_pairs(draw, 60)))]}
    output.write_text(json.dumps(reference, ensure_ascii=True, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
