"""The inputs of a workload: texts, for the engine that tokenises them, and the ids of the same texts for the others.

Rows of a fixed length are made of words that are one token each, so that text and ids say the same. They are made once,
in a folder that all engines read: data.tsv, and rows.npz with ids and their true lengths. The first rows are timed;
those after them, of the same shape, are for checking outputs on more than one row.
"""
from __future__ import annotations

import hashlib
import pathlib
import random
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy

from peers import checkpoints, our_order
from peers.workloads import Workload

CHECKED_ROWS = 16
_CALIBRATION_ROWS = 96  # what our worker takes the ranges of static int8 from, which it then does not compare
_SEED = 0


@dataclass(frozen=True)
class Batch:
    """Ids padded to the longest row by 0, and the mask of the tokens that are none of it; both int64, B × T."""

    ids: "numpy.ndarray"
    mask: "numpy.ndarray"

    @property
    def lengths(self) -> list[int]:
        return [int(n) for n in self.mask.sum(axis=1)]

    @property
    def is_padded(self) -> bool:
        return not self.mask.all()


@dataclass(frozen=True)
class Inputs:
    """What an engine is given. `checked` begins with what is timed, as far as it is checked."""

    timed: list[Batch]
    checked: list[Batch]

    def keys(self) -> list[int]:
        """Of each checked row, what our worker calls its input (src/worker/measure/output_collector.cpp): 60 bits of a hash."""
        rows = [row[:length] for batch in self.checked for row, length in zip(batch.ids, batch.lengths)]
        return [int(hashlib.sha256(row.astype("<i8").tobytes()).hexdigest()[:15], 16) for row in rows]


def tokenizer_of(workload: Workload, data: pathlib.Path):
    from tokenizers import Tokenizer
    from transformers import AutoTokenizer

    folder = data / "tokenizers" / checkpoints.ARCHITECTURES[workload.model].tokenizer
    if (folder / "tokenizer.json").exists():
        tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        tokenizer.no_padding()
        tokenizer.no_truncation()
        return tokenizer
    return AutoTokenizer.from_pretrained(folder).backend_tokenizer


def _single_words(tokenizer) -> list[str]:
    """Words of lower-case letters that are one token wherever they stand, sorted."""
    vocabulary = tokenizer.get_vocab()
    mark = "Ġ" if "Ġthe" in vocabulary else ""
    words = sorted(token[len(mark):] for token in vocabulary if token.startswith(mark))
    words = [w for w in words if len(w) > 2 and w.isascii() and w.isalpha() and w.islower() and w in vocabulary]
    return [word for word in words if len(tokenizer.encode(f"{word} {word}", add_special_tokens=False).ids) == 2]


def _fixed_texts(workload: Workload, tokenizer) -> tuple[list[str], list[str]]:
    """Those that are timed or checked, and others of the same length."""
    words = _single_words(tokenizer)
    special = tokenizer.num_special_tokens_to_add(False)
    draw = random.Random(_SEED)
    count = -(-max(CHECKED_ROWS, workload.batch_size) // workload.batch_size) * workload.batch_size
    others = _CALIBRATION_ROWS
    if workload.is_generation:
        count, others = workload.batch_size, 0
    texts = [" ".join(draw.choice(words) for _ in range(workload.length - special)) for _ in range(count + others)]
    return texts[:count], texts[count:]


def _sst2_texts(workload: Workload, tokenizer, data: pathlib.Path) -> list[str]:
    lines = (data / "sst2/dev.tsv").read_text(encoding="utf-8").splitlines()[1:]
    texts = [line.split("\t")[0] for line in lines if line.strip()]
    if workload.order == "sorted":
        texts.sort(key=lambda text: len(tokenizer.encode(text).ids))
    return texts


def _batch(rows: list[list[int]]) -> Batch:
    import numpy

    longest = max(map(len, rows))
    ids = numpy.zeros((len(rows), longest), dtype=numpy.int64)
    mask = numpy.zeros_like(ids)
    for index, row in enumerate(rows):
        ids[index, :len(row)] = row
        mask[index, :len(row)] = 1
    return Batch(ids, mask)


def _batches(rows: list[list[int]], size: int) -> list[Batch]:
    return [_batch(rows[begin:begin + size]) for begin in range(0, len(rows), size)]


def make(workload: Workload, data: pathlib.Path, folder: pathlib.Path) -> None:
    """Writes the inputs into `folder`."""
    import numpy

    tokenizer = tokenizer_of(workload, data)
    if workload.is_natural:
        texts, others = _sst2_texts(workload, tokenizer, data), []
        timed = texts
    else:
        texts, others = _fixed_texts(workload, tokenizer)
        timed = texts[:workload.batch_size]
    rows = [tokenizer.encode(text).ids for text in texts]
    if workload.length and any(len(row) != workload.length for row in rows):
        raise SystemExit(f"bench_peers: {workload.name}: a text does not have {workload.length} tokens")
    folder.mkdir(parents=True, exist_ok=True)
    lines = [f"{text}\t{index % 2}" for index, text in enumerate(our_order.rows_for(timed + others))]
    (folder / "data.tsv").write_text("\n".join(["sentence\tlabel", *lines]) + "\n", encoding="utf-8")
    numpy.savez(folder / "rows.npz", ids=numpy.concatenate([numpy.array(row) for row in rows]),
                lengths=numpy.array([len(row) for row in rows]), timed=len(timed))


def read(workload: Workload, folder: pathlib.Path) -> Inputs:
    """What `make` wrote."""
    import numpy

    with numpy.load(folder / "rows.npz") as file:
        ends = numpy.cumsum(file["lengths"])
        rows = [part.tolist() for part in numpy.split(file["ids"], ends[:-1])]
        timed = int(file["timed"])
    size = workload.batch_size
    checked = -(-max(CHECKED_ROWS, size) // size) * size
    return Inputs(_batches(rows[:timed], size), _batches(rows[:checked], size))
