"""Outputs and losses against Hugging Face's in fp32 with eager attention: what is fast and wrong is shown as wrong."""
from __future__ import annotations

import math
from dataclasses import dataclass

#: Largest root mean square difference, over the reference's scale about zero, that passes. The program's own tolerances
#: (docs/numerics.md) are in units of the spread between answers, which is smaller.
TOLERANCES = {"fp32": 1e-4, "bf16": 0.1, "int8": 0.25}

#: Of a training's losses: the largest relative difference of any of its first steps that passes. On DistilBERT-base,
#: whose loss moves by 40 % within these steps, programs in fp32 were seen 1e-7 apart; bf16's has not been seen there, and
#: is what the curves of the test suite are allowed over 20 steps (0.04), rounded up.
LOSS_TOLERANCES = {"fp32": 1e-4, "bf16_autocast": 0.05}
CHECKED_STEPS = 3


@dataclass(frozen=True)
class Check:
    """How far an arm's outputs, or losses, are from the reference's, over the rows, or steps, that were compared."""

    divergence: float
    compared: int
    tolerance: float

    @property
    def is_wrong(self) -> bool:
        return not self.divergence <= self.tolerance  # NaN is wrong


def flat_rows(outputs: list, lengths: list[int]) -> list:
    """One array for each input, of its useful tokens alone where there is a row for each token."""
    rows = [row for batch in outputs for row in batch]
    return [row[:length].ravel() if row.ndim > 1 else row.ravel() for row, length in zip(rows, lengths)]


def compare(rows: list, reference: list, precision: str) -> Check:
    """Both are one array an input, in the same order; `rows` may be fewer. The scale is that of all of the reference, and
    about zero: its weights are seeded and prefer no class, so that the mean of two logits may lie close to both.
    """
    import numpy

    count = min(len(rows), len(reference))
    if count == 0:
        raise ValueError("there is nothing to compare")
    ours = numpy.concatenate([numpy.asarray(row, dtype=numpy.float64).ravel() for row in rows[:count]])
    theirs = numpy.concatenate([numpy.asarray(row, dtype=numpy.float64).ravel() for row in reference[:count]])
    if ours.shape != theirs.shape:
        return Check(float("inf"), count, TOLERANCES[precision])
    whole = numpy.concatenate([numpy.asarray(row, dtype=numpy.float64).ravel() for row in reference])
    scale = numpy.sqrt(numpy.mean(whole ** 2))
    return Check(float(numpy.sqrt(numpy.mean((ours - theirs) ** 2)) / scale), count, TOLERANCES[precision])


def compare_losses(losses: list[float], reference: list[float], precision: str) -> Check:
    """Step by step; an arm that tells fewer steps than the reference has is wrong."""
    if not reference:
        raise ValueError("there is nothing to compare")
    if len(losses) < len(reference):
        return Check(float("inf"), len(losses), LOSS_TOLERANCES[precision])
    apart = [abs(one - other) / abs(other) for one, other in zip(losses, reference)]
    worst = float("nan") if any(map(math.isnan, apart)) else max(apart)
    return Check(worst, len(reference), LOSS_TOLERANCES[precision])
