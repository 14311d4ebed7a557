#!/usr/bin/env python3
"""Parquet files by pyarrow, laid out and described as the Hub's data sets are: tests/data/parquet, and the corpus of the
fuzz target. Run it in a virtual environment:
    python3 -m venv /tmp/venv && /tmp/venv/bin/pip install pyarrow
    /tmp/venv/bin/python scripts/references/parquet_files.py
"""
import datetime
import decimal
import json
import pathlib
import shutil

import pyarrow as pa
import pyarrow.parquet as pq

ROOT = pathlib.Path(__file__).resolve().parents[2]
DATA = ROOT / "tests/data/parquet"
CORPUS = ROOT / "tests/fuzz/corpus/parquet"

TOPICS = ["World", "Sports", "Business"]  # not in the order of the alphabet
TAGS = ["O", "B-PER", "I-PER", "B-LOC"]
FILE = pa.struct([("bytes", pa.binary()), ("path", pa.string())])


def class_label(names):
    return {"names": names, "_type": "ClassLabel"}


def described(table, features):
    return table.replace_schema_metadata({"huggingface": json.dumps({"info": {"features": features}})})


def write(table, path, **options):
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(table, path, **options)


def news(rows):
    table = pa.table({"text": [text for text, _ in rows], "label": pa.array([label for _, label in rows], pa.int64())})
    return described(table, {"text": {"dtype": "string", "_type": "Value"}, "label": class_label(TOPICS)})


def all_types():
    """Each type once, in three rows; the last is null wherever it may be."""
    return pa.table({
        "text": ['a "quoted"\nline', "caf\u00e9", "\t\\"],
        "large_text": pa.array(["one", "two", None], pa.large_string()),
        "dictionary": pa.array(["x", "y", "x"]).dictionary_encode(),
        "integer": pa.array([-1, 2**62, None], pa.int64()),
        "unsigned": pa.array([0, 2**64 - 1, None], pa.uint64()),
        "byte": pa.array([-128, 127, None], pa.int8()),
        "real": pa.array([1.5, float("nan"), None], pa.float64()),
        "single": pa.array([0.1, float("inf"), None], pa.float32()),
        "half": pa.array([0.5, 2.0, None], pa.float16()),
        "flag": [True, False, None],
        "day": [datetime.date(2020, 1, 2), datetime.date(1969, 12, 31), None],
        "time": pa.array([datetime.datetime(2020, 1, 2, 3, 4, 5), None, None], pa.timestamp("s")),
        "price": [decimal.Decimal("1.50"), decimal.Decimal("-2.00"), None],
        "words": [["a", None], [], None],
        "nothing": pa.nulls(3),
        "record": [{"a": 1}, {"a": None}, None],
        "bytes": [b"\x00\xff", b"", None],
        "map": pa.array([[("k", 1)], [], None], pa.map_(pa.string(), pa.int64())),
    })


def sentences():
    table = pa.table({
        "id": ["0", "1", "2"],
        "tokens": [["Ann", "Lee", "left", "Bonn"], [], ["{", "Yes"]],
        "ner_tags": pa.array([[1, 2, 0, 3], [], [0, 0]], pa.list_(pa.int64())),
    })
    return described(table, {"ner_tags": {"feature": class_label(TAGS), "_type": "Sequence"}})


def questions():
    context = "Bonn lies on the Rhine."
    return pa.table({
        "id": ["q1", "q2"], "title": ["Bonn", "Bonn"], "context": [context, context],
        "question": ["Where does Bonn lie?", "Who lives there?"],
        "answers": pa.array([{"text": ["on the Rhine"], "answer_start": [10]}, {"text": [], "answer_start": []}],
                            pa.struct([("text", pa.list_(pa.string())), ("answer_start", pa.list_(pa.int32()))])),
    })


def images():
    pixel = (ROOT / "tests/data/images/one_pixel.png").read_bytes()
    table = pa.table({"img": pa.array([{"bytes": pixel, "path": None}, {"bytes": pixel, "path": "b.png"}], FILE),
                      "label": [1, 0]})
    return described(table, {"img": {"_type": "Image"}, "label": class_label(["dog", "cat"])})


def sounds():
    """As speech on the Hub: the file's name on its author's disk stands beside the sound."""
    files = [(ROOT / "tests/data/audio" / name).read_bytes() for name in ("pcm_16.wav", "48000.flac")]
    table = pa.table({"id": ["s1", "s2"], "file": ["/home/author/1.wav", "/home/author/2.flac"],
                      "audio": pa.array([{"bytes": file, "path": "1.wav"} for file in files], FILE),
                      "normalized_text": ["one", "two"], "label": [1, 0]})
    return described(table, {"audio": {"sampling_rate": 16000, "_type": "Audio"}, "label": class_label(["no", "yes"])})


def pairs():
    """Texts and what is to be made of them, beside what other tasks read."""
    return pa.table({"sentence": ["Rain again", "Sun at last"], "label": [0, 1], "note": ["a", "b"],
                     "document": ["It rained all day.", "Then the sun came out."], "summary": ["rain", "sun"]})


def main():
    for folder in (DATA, CORPUS):
        if folder.exists():
            for entry in folder.iterdir():
                if entry.is_dir():
                    shutil.rmtree(entry)
                elif entry.suffix == ".parquet":
                    entry.unlink()
    write(news([("Peace talks begin", 0), ("They won", 1)]), DATA / "news/data/train-00000-of-00002.parquet")
    write(news([("Shares fall", 2)]), DATA / "news/data/train-00001-of-00002.parquet")
    write(news([("No class is told", -1), ("Nor here", -1)]), DATA / "news/data/test-00000-of-00001.parquet")
    write(all_types(), DATA / "types.parquet")
    write(sentences(), DATA / "sentences.parquet")
    write(questions(), DATA / "questions.parquet")
    write(images(), DATA / "images.parquet")
    write(sounds(), DATA / "sounds.parquet")
    write(pairs(), DATA / "pairs.parquet")
    for codec in ("none", "snappy", "gzip", "zstd", "brotli", "lz4"):
        write(news([("They won", 1), ("Shares fall", 2)] * 4), CORPUS / f"{codec}.parquet", compression=codec)
    for name in ("types", "sentences", "questions", "images", "sounds"):
        shutil.copy(DATA / f"{name}.parquet", CORPUS)


if __name__ == "__main__":
    main()
