"""What a peer is: one interface for those that infer, one for those that train."""
from __future__ import annotations

import importlib.metadata
import pathlib
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy
    import torch

from peers.inputs import Batch, Inputs
from peers.workloads import Workload


class NotThere(Exception):
    """An engine cannot do what is asked; the message says why and is shown in the table."""


@dataclass(frozen=True)
class Job:
    """One engine's task: where everything lies, and how many threads it has."""

    workload: Workload
    precision: str
    checkpoint: pathlib.Path
    inputs: pathlib.Path
    artefacts: pathlib.Path  # a folder for converted models, kept from run to run
    threads: int


@dataclass(frozen=True)
class Generation:
    """One prompt answered: seconds to the first token, and of each one after it on the average."""

    prefill_s: float
    per_token_s: float


class Runner(ABC):
    """A model in memory."""

    #: What was asked of the engine beyond its defaults, for the report.
    settings: dict[str, object] = {}

    def run_batches(self, batches: list[Batch]) -> list["numpy.ndarray"]:
        """The logits of each batch: B × classes, or for question answering B × T × 2 (begin, end)."""
        return [self.run(batch) for batch in batches]

    def run(self, batch: Batch) -> "numpy.ndarray":
        raise NotImplementedError

    def generate(self, prompt: Batch, new_tokens: int) -> Generation:
        """Greedy, with a cache, nothing ends it early."""
        raise NotImplementedError

    def last_logits(self, prompt: Batch) -> "numpy.ndarray":
        """Of the token after the prompt, whose last tokens went through the cache one by one where that is possible."""
        raise NotImplementedError


class Steps(ABC):
    """Who is told of each step of a training, and says when it ends."""

    @abstractmethod
    def done(self, loss) -> bool:
        """A step is over; whether another is wanted. Sleeps as long as it is another arm's turn."""


class Peer(ABC):
    """What an arm of the comparison runs, and whether it is there."""

    name: str
    packages: tuple[str, ...]
    trains = False  # whether it is for the workloads that train or for the others

    def is_for(self, workload: Workload, precision: str) -> bool:
        """Where it is not, no skip is shown."""
        return self.trains == workload.is_training and self.applies(workload, precision)

    def applies(self, workload: Workload, precision: str) -> bool:
        """False where the engine stands for another precision by definition; no skip is shown then."""
        return True

    def why_not(self, workload: Workload, precision: str) -> str | None:
        """Why the engine cannot run this; nothing where it can."""
        return None

    @property
    def has_preparation(self) -> bool:
        return False

    def versions(self) -> dict[str, str]:
        """Of its packages, those that are installed."""
        found = {}
        for package in self.packages:
            try:
                found[package] = importlib.metadata.version(package)
            except importlib.metadata.PackageNotFoundError:
                continue
        return found

    def missing(self) -> str | None:
        """The reason to skip it where it is not installed."""
        absent = [package for package in self.packages if package not in self.versions()]
        return f"not installed: {', '.join(absent)}" if absent else None


class Engine(Peer):
    """A peer that infers. `prepare` runs in a process of its own before anything is timed."""

    @property
    def has_preparation(self) -> bool:
        return type(self).prepare is not Engine.prepare

    def prepare(self, job: Job) -> None:
        """Converts the model into `job.artefacts` where it is not there yet."""

    @abstractmethod
    def load(self, job: Job, inputs: Inputs) -> Runner:
        """The model, ready to run the inputs."""


class TrainingEngine(Peer):
    """A peer that trains by `recipe`."""

    trains = True
    padded_to: int | None = None  # tokens of rows of natural length; None: the longest of their batch

    #: What was asked of the engine beyond its defaults, for the report.
    settings: dict[str, object] = {}

    @abstractmethod
    def train(self, job: Job, batches: Iterator[dict[str, "torch.Tensor"]], steps: Steps) -> None:
        """One step for each batch, until `steps` wants no more."""
