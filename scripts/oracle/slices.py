"""Headline and comparisons of cases measured in slices, written from docs/metrics.md. Only of runs with a fixed warm-up,
whose slices are steady from their first measured sample on."""
import math

import numpy as np
from scipy import stats

WARMUP = 1


def column(replicate, name):
    series = next((s for s in replicate["series"] if s["name"] == name), None)
    return series["value"] if series else []


def slices_of(the_case):
    """(process, round, start, measured samples) of each slice of the replicates that are ok."""
    found = []
    for replicate in (r for r in the_case["replicates"] if r["status"] == "ok"):
        latency = next(s for s in replicate["series"] if s["name"] == "latency")
        begins = [int(place) for place in column(replicate, "slice_first_sample")]
        for i, begin in enumerate(begins):
            end = begins[i + 1] if i + 1 < len(begins) else len(latency["value"])
            samples = [v for v, flags in zip(latency["value"][begin:end], latency["flags"][begin:end]) if not flags & WARMUP]
            found.append((replicate["index"], int(column(replicate, "slice_round")[i]), column(replicate, "slice_start")[i],
                          np.array(samples)))
    return found


def scatter_of_median(samples):
    """The variance of the median of independent samples, from their median absolute deviation."""
    n = len(samples)
    if n < 2:
        return 0.0
    mad = np.median(np.abs(samples - np.median(samples)))
    factor = 0.46 if n == 2 else 1.17 if n == 3 else 1.3 if n <= 12 else 1.57
    return factor * (1.4826 * mad) ** 2 / (n - 1)


def median(the_case):
    """(value, low, high, interval) of the median latency: the median of all samples, and the interval of the slices'
    medians, stretched to it."""
    slices = slices_of(the_case)
    medians = np.array([np.median(samples) for *_, samples in slices])
    count, variance = len(medians), float(np.var(medians, ddof=1))
    starts = [start for _, _, start, _ in slices]
    span = max(starts) - min(starts)
    sampling = min(variance, sum(scatter_of_median(samples) for *_, samples in slices) / count)
    independent = min(count, 1 + span / 150)
    error = math.sqrt(max(variance / count, (variance - sampling) / independent + sampling / count))
    half = stats.t.ppf(0.975, count - 1) * error
    centre = float(np.mean(medians))
    kind = "between_slices" if count >= 8 and span >= 36 else "single_window"
    value = float(np.median(np.concatenate([samples for *_, samples in slices])))
    return value, min(max(centre - half, 0.0), value), max(centre + half, value), kind


def log_ratios(baseline, candidate):
    """Of each quad, with its process."""
    def halves(the_case):
        sums = {}
        for process, visited, _, samples in slices_of(the_case):
            sums.setdefault((process, visited // 2), []).append(math.log(np.median(samples)))
        return {place: sum(logs) / 2 for place, logs in sums.items() if len(logs) == 2}
    ours, theirs = halves(baseline), halves(candidate)
    return [(place[0], ours[place] - theirs[place]) for place in sorted(ours) if place in theirs]


def outer_count(n, tail):
    """How many of the Walsh means lie outside on either side: the signed-rank statistic's chances, by counting subsets."""
    ways = np.array([1.0])
    for rank in range(1, n + 1):
        longer = np.zeros(len(ways) + rank)
        longer[:len(ways)] += ways
        longer[rank:] += ways
        ways = longer
    return int(np.sum(np.cumsum(ways) / 2.0 ** n <= tail))


def speed_up(baseline, candidate):
    """(value, low, high), or None for too few quads."""
    ratios = log_ratios(baseline, candidate)
    processes = sorted({process for process, _ in ratios})
    if len(processes) >= 3:
        means = [np.mean([ratio for process, ratio in ratios if process == one]) for one in processes]
        half = stats.t.ppf(0.975, len(means) - 1) * np.std(means, ddof=1) / math.sqrt(len(means))
        return math.exp(np.mean(means)), math.exp(np.mean(means) - half), math.exp(np.mean(means) + half)
    if len(ratios) < 8:
        return None
    looks = [8]
    while math.ceil(looks[-1] * 1.4) <= len(ratios):
        looks.append(math.ceil(looks[-1] * 1.4))
    values = np.array([ratio for _, ratio in ratios[:looks[-1]]])
    first, second = np.triu_indices(len(values))
    walsh = np.sort((values[first] + values[second]) / 2)
    outer = outer_count(len(values), 0.005)
    return math.exp(np.median(walsh)), math.exp(walsh[outer - 1]), math.exp(walsh[len(walsh) - outer])
