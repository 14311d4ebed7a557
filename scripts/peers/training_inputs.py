"""The rows of a training: SST-2's sentences, or SQuAD's questions whose context fits into one row.

A folder holds them twice: as the file our worker reads, and tokenised, in rows.json, for the peers. `check.*` are the
first batch alone: whatever order an arm takes examples in, each of its steps sees the same rows then.
"""
from __future__ import annotations

import json
import pathlib
import random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy

from peers import checkpoints
from peers.inputs import tokenizer_of
from peers.workloads import Workload

#: Of one row: what a model of Transformers is called with, without padding. Lists have a value for each token.
Row = dict[str, "list[int] | int"]

_SEED = 0
_BATCHES_OF_ONE_SHAPE = 8
_BATCHES_OF_NATURAL_LENGTH = 32  # so many that batches of like lengths can be found among them


def _is_of_answers(workload: Workload) -> bool:
    return checkpoints.ARCHITECTURES[workload.model].task == "question_answering"


def data_file(workload: Workload, folder: pathlib.Path, name: str) -> pathlib.Path:
    """What our worker reads; `name` is data or check."""
    return folder / f"{name}.{'json' if _is_of_answers(workload) else 'tsv'}"


def _sentences(tokenizer, data: pathlib.Path, count: int) -> list[tuple[str, Row]]:
    lines = (data / "sst2/train.tsv").read_text(encoding="utf-8").splitlines()[1:]
    drawn = random.Random(_SEED).sample([line for line in lines if line.strip()], count)
    pairs = [line.split("\t") for line in drawn]
    return [(f"{text}\t{label}", {"input_ids": tokenizer.encode(text).ids, "labels": int(label)})
            for text, label in pairs]


def answer_row(tokenizer, question: str, context: str, answer: dict, length: int) -> Row | None:
    """Nothing where it is too long for one row, or where the answer does not begin and end with a token."""
    encoded = tokenizer.encode(question, context)
    begin = answer["answer_start"]
    end = begin + len(answer["text"])
    of_context = [index for index, part in enumerate(encoded.sequence_ids) if part == 1]
    starts = [index for index in of_context if encoded.offsets[index][0] == begin]
    ends = [index for index in of_context if encoded.offsets[index][1] == end]
    if len(encoded.ids) > length or len(starts) != 1 or len(ends) != 1:
        return None
    return {"input_ids": encoded.ids, "token_type_ids": encoded.type_ids, "start_positions": starts[0],
            "end_positions": ends[0]}


def _answers(tokenizer, data: pathlib.Path, count: int, length: int) -> list[tuple[dict, Row]]:
    articles = json.loads((data / "squad/dev-v1.1.json").read_text(encoding="utf-8"))["data"]
    asked = [(paragraph["context"], one) for article in articles for paragraph in article["paragraphs"]
             for one in paragraph["qas"]]
    random.Random(_SEED).shuffle(asked)
    found: list[tuple[dict, Row]] = []
    for context, one in asked:
        answer = one["answers"][0]
        row = answer_row(tokenizer, one["question"], context, answer, length)
        if row:
            found.append(({"context": context, "qas": [{**one, "answers": [answer]}]}, row))
        if len(found) == count:
            return found
    raise SystemExit(f"bench_peers: SQuAD has only {len(found)} questions of at most {length} tokens, {count} are needed")


def _text_of(workload: Workload, sources: list) -> str:
    if _is_of_answers(workload):
        articles = [{"title": str(index), "paragraphs": [one]} for index, one in enumerate(sources)]
        return json.dumps({"version": "1.1", "data": articles})
    return "\n".join(["sentence\tlabel", *sources]) + "\n"


def make(workload: Workload, data: pathlib.Path, folder: pathlib.Path) -> None:
    """Writes the rows into `folder`."""
    tokenizer = tokenizer_of(workload, data)
    batches = _BATCHES_OF_NATURAL_LENGTH if workload.is_natural else _BATCHES_OF_ONE_SHAPE
    count = workload.batch_size * batches
    found = (_answers(tokenizer, data, count, workload.length) if _is_of_answers(workload)
             else _sentences(tokenizer, data, count))
    folder.mkdir(parents=True, exist_ok=True)
    sources = [source for source, _ in found]
    for name, part in (("data", sources), ("check", sources[:workload.batch_size])):
        data_file(workload, folder, name).write_text(_text_of(workload, part), encoding="utf-8")
    (folder / "rows.json").write_text(json.dumps([row for _, row in found]), encoding="utf-8")


def read(folder: pathlib.Path) -> list[Row]:
    """What `make` wrote."""
    return json.loads((folder / "rows.json").read_text(encoding="utf-8"))


def steps_in_a_pass(rows: list[Row], batch_size: int, padded_to: int | None) -> int:
    """One where all batches have one shape; else as many as there are batches."""
    return 1 if padded_to else -(-len(rows) // batch_size)


def batch_of(rows: list[Row], padded_to: int | None) -> dict[str, "numpy.ndarray"]:
    """Rows padded to so many tokens, or to their longest, with the mask of the tokens that are no padding."""
    import numpy

    lengths = [len(row["input_ids"]) for row in rows]
    width = padded_to or max(lengths)
    if max(lengths) > width:
        raise ValueError(f"a row of {max(lengths)} tokens does not fit into {width}")
    batch = {"attention_mask": (numpy.arange(width)[None, :] < numpy.array(lengths)[:, None]).astype(numpy.int64)}
    for name, value in rows[0].items():
        if isinstance(value, list):
            batch[name] = numpy.array([row[name] + [0] * (width - len(row[name])) for row in rows], dtype=numpy.int64)
        else:
            batch[name] = numpy.array([row[name] for row in rows], dtype=numpy.int64)
    return batch


def batches_of(rows: list[Row], batch_size: int, padded_to: int | None) -> list[dict[str, "numpy.ndarray"]]:
    return [batch_of(rows[begin:begin + batch_size], padded_to) for begin in range(0, len(rows), batch_size)]
