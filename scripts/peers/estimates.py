"""Ratios of times with their intervals."""
from __future__ import annotations

import math
import statistics
from dataclasses import dataclass

CONFIDENCE = 0.95


@dataclass(frozen=True)
class Ratio:
    """time_ours ÷ time_peer; below 1 ours is faster. The interval is None with fewer than two rounds."""

    estimate: float
    low: float | None
    high: float | None
    rounds: int


def t_quantile(probability: float, degrees: int) -> float:
    from scipy import stats

    return float(stats.t.ppf(probability, degrees))


def ratio_of(ours: list[float], peer: list[float]) -> Ratio:
    """exp of the mean of the rounds' log-ratios, with a t interval. Values of one place belong to one round."""
    if len(ours) != len(peer) or not ours:
        raise ValueError(f"{len(ours)} and {len(peer)} rounds cannot be paired")
    logs = [math.log(a / b) for a, b in zip(ours, peer)]
    mean = statistics.fmean(logs)
    if len(logs) < 2:
        return Ratio(math.exp(mean), None, None, len(logs))
    half = t_quantile(0.5 + CONFIDENCE / 2, len(logs) - 1) * statistics.stdev(logs) / math.sqrt(len(logs))
    return Ratio(math.exp(mean), math.exp(mean - half), math.exp(mean + half), len(logs))
