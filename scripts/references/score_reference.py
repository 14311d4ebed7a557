#!/usr/bin/env python3
"""Scores by the original programs: macro F1 by scikit-learn, entities by seqeval, lower case by Python itself.

Writes tests/data/scores/reference.json, which the tests of src/shared/tasks hold ours to. Run it in a virtual environment:
    python3 -m venv /tmp/venv && /tmp/venv/bin/pip install scikit-learn seqeval
    /tmp/venv/bin/python scripts/references/score_reference.py
"""
import argparse
import json
import pathlib
import platform
import random

import seqeval
import sklearn
from seqeval.metrics import f1_score, precision_score, recall_score
from seqeval.metrics.sequence_labeling import get_entities
from seqeval.scheme import IOB2
from sklearn import metrics

ROOT = pathlib.Path(__file__).resolve().parents[2]


def classification_cases(draw):
    for classes, count in ((2, 1), (2, 40), (5, 60), (77, 200)):
        labels = [draw.randrange(classes) for _ in range(count)]
        predicted = [y if draw.random() < 0.6 else draw.randrange(classes) for y in labels]
        yield {"labels": labels, "predicted": predicted, "accuracy": metrics.accuracy_score(labels, predicted),
               "macro_f1": metrics.f1_score(labels, predicted, average="macro", zero_division=0)}


def random_tags(draw, length, prefixes):
    return [draw.choice(prefixes) + draw.choice(("PER", "LOC", "ORG-x")) if draw.random() < 0.6 else "O"
            for _ in range(length)]


def entity_cases(draw):
    for prefixes in (("B-", "I-"), ("B-", "I-", "E-", "S-")):
        truth = [random_tags(draw, draw.randrange(1, 9), prefixes) for _ in range(60)]
        predicted = [[t if draw.random() < 0.7 else draw.choice(("O", "B-PER", "I-LOC")) for t in s] for s in truth]
        case = {"truth": truth, "predicted": predicted, "f1": f1_score(truth, predicted),
                "precision": precision_score(truth, predicted), "recall": recall_score(truth, predicted),
                "by_type": dict(zip(sorted({e[0] for s in truth + predicted for e in get_entities(s)}),
                                    map(float, f1_score(truth, predicted, average=None)))),
                "entities": [[list(e) for e in get_entities(s)] for s in truth]}
        if len(prefixes) == 2:
            case["f1_strict"] = f1_score(truth, predicted, mode="strict", scheme=IOB2)
        yield case


def lower_cases():
    """Code points whose lower case is another text, packed as pairs, and words with a sigma."""
    changed = [(chr(c), chr(c).lower()) for c in range(0x110000) if not 0xD800 <= c < 0xE000 and chr(c).lower() != chr(c)]
    words = ["ΟΔΥΣΣΕΥΣ", "Σ", "ΑΣ'", "ΑΣ'Α", "Α\u0301Σ", "ΑΣ\u0301Β", "1Σ", "ΣΑΣ ΣΑΣ", "ΑΣ.Β", "\u0130stanbul", "aΣ:", "Α\u00adΣ"]
    return {"from": "".join(a for a, _ in changed if len(a.lower()) == 1),
            "to": "".join(b for _, b in changed if len(b) == 1), "words": [[w, w.lower()] for w in words]}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=pathlib.Path, default=ROOT / "tests/data/scores/reference.json")
    output = parser.parse_args().output
    draw = random.Random(5)
    reference = {"made_by": f"scikit-learn {sklearn.__version__}, seqeval {seqeval.__version__ if hasattr(seqeval, '__version__') else '1.2.2'}, "
                            f"Python {platform.python_version()}",
                 "classification": list(classification_cases(draw)), "entities": list(entity_cases(draw)),
                 "lower": lower_cases()}
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_text(json.dumps(reference, ensure_ascii=True, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
