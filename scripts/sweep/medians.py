"""Medians, their intervals, and how often the intervals of repeated runs hold the median over all runs."""
from __future__ import annotations

import math
import statistics
from dataclasses import dataclass


@dataclass(frozen=True)
class Case:
    """What both programs measure."""

    batch_size: int
    sequence_length: int


@dataclass(frozen=True)
class Estimate:
    """One case in one run of one program. Without an interval, `low_s` and `high_s` are None."""

    median_s: float
    low_s: float | None
    high_s: float | None
    samples: int
    verdict: str | None = None  # ours only, as the next two
    reasons: tuple[str, ...] = ()  # why it is not valid
    interval: str | None = None  # its kind, in the words of docs/metrics.md

    @property
    def half_width_ratio(self) -> float | None:
        return None if self.low_s is None else (self.high_s - self.low_s) / 2 / self.median_s

    def covers(self, value_s: float) -> bool:
        """An estimate without an interval covers nothing."""
        return self.low_s is not None and self.low_s <= value_s <= self.high_s


def interval_of_median(values: list[float]) -> tuple[float, float] | None:
    """The narrowest symmetric pair of order statistics that holds the median in at least 95 % of draws.

    Needs no distribution, but independent values: P(x(k) ≤ median ≤ x(n+1−k)) = 1 − 2 P(B < k) with B binomial of n and
    1/2. None below six values, whose extremes hold it in fewer than 95 %. Source: David and Nagaraja (2003), Order
    Statistics, section 7.1.
    """
    count = len(values)
    below, rank = 0, 0  # of 2^count equally likely patterns those with at most `rank` values below the median
    while True:
        below += math.comb(count, rank)
        if 2 * below * 20 > 2**count:  # whole numbers: 2^count is beyond a float from 1024 values on
            break
        rank += 1
    if rank == 0:
        return None
    ordered = sorted(values)
    return ordered[rank - 1], ordered[count - rank]


def estimate_of_samples(values: list[float]) -> Estimate:
    """The median with its distribution-free interval."""
    low, high = interval_of_median(values) or (None, None)
    return Estimate(statistics.median(values), low, high, len(values))


@dataclass(frozen=True)
class Coverage:
    """One case of one program over all repetitions."""

    grand_median_s: float
    covered: int
    runs: int
    half_width_ratio: float | None  # median over the runs that have an interval
    valid: int  # ours only, as the next
    valid_covered: int


def coverage(estimates: list[Estimate]) -> Coverage:
    """How often the interval of one run holds the median of all runs' medians."""
    grand = statistics.median(one.median_s for one in estimates)
    widths = [one.half_width_ratio for one in estimates if one.half_width_ratio is not None]
    return Coverage(grand, sum(one.covers(grand) for one in estimates), len(estimates),
                    statistics.median(widths) if widths else None,
                    sum(one.verdict == "valid" for one in estimates),
                    sum(one.verdict == "valid" and one.covers(grand) for one in estimates))
