"""What is measured: the table of workloads, and the measures each of them yields."""
from __future__ import annotations

from dataclasses import dataclass

PRECISIONS = ("fp32", "bf16", "int8")
TRAINING_PRECISIONS = ("fp32", "bf16_autocast")
ALL_PRECISIONS = tuple(dict.fromkeys(PRECISIONS + TRAINING_PRECISIONS))


@dataclass(frozen=True)
class Measure:
    """A quantity that a pass over a workload yields, in seconds; shown as `unit`."""

    name: str
    unit: str

    def shown(self, seconds: float) -> float:
        """The value in the unit of tables."""
        return {"ms": 1e3 * seconds, "s": seconds, "token/s": 1 / seconds}[self.unit]


@dataclass(frozen=True)
class Workload:
    """Batches of one model. A pass runs each of them once; `generate` decodes `new_tokens` after one prompt.

    Of a training `length` is what rows are padded to. A pass is one step then where all batches have one shape, else a
    step for each batch; its time is the mean of its steps.
    """

    name: str
    model: str
    batch_size: int
    length: int | None  # tokens of every row; None: the sentences of SST-2 with their own lengths
    measures: tuple[Measure, ...]
    order: str = "file"  # of SST-2's sentences: file or sorted (by length)
    new_tokens: int = 0
    precisions: tuple[str, ...] = PRECISIONS
    starts_afresh: bool = False  # a process for each round, from its start to its first result
    is_training: bool = False

    @property
    def is_generation(self) -> bool:
        return self.new_tokens > 0

    @property
    def is_natural(self) -> bool:
        return self.length is None

    @property
    def title(self) -> str:
        if self.is_generation:
            return f"{self.model} batch {self.batch_size}, prompt {self.length}, {self.new_tokens} new tokens"
        if self.starts_afresh:
            return f"{self.model} batch {self.batch_size}, process start to first result"
        if self.is_training:
            rows = "natural lengths" if self.is_natural else f"padded to {self.length}"
            return f"training of {self.model}, batch {self.batch_size}, {rows}"
        rows = f"SST-2 dev in {self.order} order" if self.is_natural else f"length {self.length}"
        return f"{self.model} batch {self.batch_size}, {rows}"


_FORWARD_MS = (Measure("forward", "ms"),)
_TOTAL_S = (Measure("total", "s"),)
_STEP_S = (Measure("step", "s"),)
_GENERATE = (Measure("prefill", "ms"), Measure("decode", "token/s"))

WORKLOADS = (
    Workload("distilbert-b1", "distilbert", 1, 128, _FORWARD_MS),
    Workload("distilbert-b8", "distilbert", 8, 128, _FORWARD_MS),
    Workload("distilbert-b32", "distilbert", 32, 128, _FORWARD_MS),
    Workload("bert-qa", "bert-qa", 8, 384, _FORWARD_MS, precisions=("fp32", "bf16")),
    Workload("sst2", "distilbert", 32, None, _TOTAL_S),
    Workload("sst2-sorted", "distilbert", 32, None, _TOTAL_S, order="sorted"),
    Workload("qwen2", "qwen2", 1, 128, _GENERATE, new_tokens=32),
    Workload("cold-start", "distilbert", 1, 128, (Measure("first_result", "s"),), precisions=("fp32",),
             starts_afresh=True),
    Workload("train-sst2", "distilbert", 16, 128, _STEP_S, precisions=TRAINING_PRECISIONS, is_training=True),
    Workload("train-qa", "bert-qa", 4, 384, _STEP_S, precisions=TRAINING_PRECISIONS, is_training=True),
    Workload("train-sst2-natural", "distilbert", 16, None, _STEP_S, precisions=TRAINING_PRECISIONS, is_training=True),
)


def chosen(names: list[str], known: dict[str, object], what: str) -> list[str]:
    """`names`, or all that are known where none is given; an unknown one ends the program with those that are."""
    for name in names:
        if name not in known:
            raise SystemExit(f"bench_peers: unknown {what} '{name}'; known: {', '.join(known)}")
    return names or list(known)
