"""What arms are held to: outputs, or of a training the first losses, of Hugging Face's models in fp32.

A reference is made once for a checkpoint and its inputs, and kept beside them.
"""
from __future__ import annotations

import json
import pathlib

import numpy

from peers import correctness, inputs
from peers.arms import REFERENCE, TRAINING_REFERENCE, Arm, Site
from peers.correctness import Check
from peers.workloads import Workload


class OutputsReference:
    """Of models that infer: the outputs of the checked batches."""

    def __init__(self, site: Site, workload: Workload):
        self._workload = workload
        self._given = inputs.read(workload, site.inputs(workload))
        path = site.reference(workload)
        if not path.exists():
            process = Arm(REFERENCE, "glibc").start(site, workload, "fp32")
            try:
                _keep_outputs(process.outputs(), path)
            finally:
                process.close()
        with numpy.load(path) as file:
            self._rows = correctness.flat_rows([file[name] for name in file.files], self._lengths())

    def check(self, arm: Arm, process, precision: str) -> Check | None:
        """Nothing where the arm gives no outputs."""
        rows = (process.rows(self._given) if arm.is_ours
                else correctness.flat_rows(process.outputs(), self._lengths()))
        return None if rows is None else correctness.compare(rows, self._rows, precision)

    def _lengths(self) -> list[int]:
        """Useful tokens of each checked input; of a prompt its last row of logits alone is compared."""
        if self._workload.is_generation:
            return [1]
        return [length for batch in self._given.checked for length in batch.lengths]


class LossesReference:
    """Of models that train: the losses of the first steps, without dropout."""

    def __init__(self, site: Site, workload: Workload):
        self._site = site
        self._workload = workload
        path = site.reference(workload)
        if not path.exists():
            _keep(json.dumps(Arm(TRAINING_REFERENCE, "glibc").losses(site, workload, "fp32")), path)
        self._losses = json.loads(path.read_text(encoding="utf-8"))

    def check(self, arm: Arm, process, precision: str) -> Check:
        """Of another process than the one that is timed, which has dropout."""
        return correctness.compare_losses(arm.losses(self._site, self._workload, precision), self._losses, precision)


def make(site: Site, workload: Workload) -> OutputsReference | LossesReference:
    return (LossesReference if workload.is_training else OutputsReference)(site, workload)


def _keep(text: str, path: pathlib.Path) -> None:
    partial = path.with_suffix(".partial")
    partial.write_text(text, encoding="utf-8")
    partial.replace(path)


def _keep_outputs(outputs: list, path: pathlib.Path) -> None:
    partial = path.with_suffix(".partial.npz")
    numpy.savez(partial, *outputs)
    partial.replace(path)
