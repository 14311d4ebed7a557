"""Every statistic of docs/metrics.md by numpy and scipy, written from that page alone and not from src/shared/stats: where both
agree, a fault would have to be made twice."""
import math

import numpy as np
from scipy import signal, special, stats

PERCENTILES = {"p90": 0.9, "p95": 0.95, "p99": 0.99, "p99.9": 0.999}


def smallest_count(p):
    """The smallest n whose largest value exceeds the quantile p with 99 % confidence."""
    return math.ceil(math.log(0.01) / math.log(p))


def lag1(x):
    d = np.asarray(x) - np.mean(x)
    total = np.dot(d, d)
    return float(np.dot(d[1:], d[:-1]) / total) if total > 0 else None


def corrected_lag1(x):
    r = lag1(x)
    return 0.0 if r is None else float(np.clip((len(x) * r + 1) / (len(x) - 3), 0, 0.99))


def normal_scores(x):
    return stats.norm.ppf(stats.rankdata(x) / (len(x) + 1))


def is_constant(x):
    return np.ptp(x) <= 1e-13 * abs(x[0])


def geyer(x):
    """Initial monotone sequence: the effective n of the mean. Without a correction for centring, so a little larger."""
    d = np.asarray(x) - np.mean(x)
    gamma = signal.correlate(d, d, mode="full", method="fft")[len(d) - 1:] / len(d)
    pairs = gamma[:len(d) // 2 * 2].reshape(-1, 2).sum(axis=1)
    stop = np.argmax(pairs <= 0) if np.any(pairs <= 0) else len(pairs)
    pairs = np.minimum.accumulate(pairs[:max(stop, 1)])
    return len(d) * gamma[0] / max(2 * pairs.sum() - gamma[0], 1e-300)


def effective_n_of_mean(x):
    n = len(x)
    if n < 20 or is_constant(x):
        return float(n)
    rho = corrected_lag1(x)
    if n < 100:
        rho = max(rho, corrected_lag1(normal_scores(x)))
        rho = min(rho + (1 if n < 50 else rho) * 0.5 * math.sqrt((1 - rho * rho) / n), 0.99)
    effective = n * (1 - rho) / (1 + rho)
    if n >= 100:
        effective = min(effective, geyer(x))
    return float(np.clip(effective, 1, n))


def indicator_inflation(rho, p):
    """1 + 2 times the sum over k of the correlation of the indicators below the quantile p of normals with rho^k."""
    z = stats.norm.ppf(p)
    total, r = 1.0, rho
    while r > 1e-4:
        both = stats.multivariate_normal.cdf([z, z], mean=[0, 0], cov=[[1, r], [r, 1]])
        total += 2 * (both - p * p) / (p * (1 - p))
        r *= rho
    return total


def effective_n_of_quantile(x, p):
    n = len(x)
    if n < 20 or is_constant(x):
        return float(n)
    effective = float(n)
    if n < 5000:
        rho = corrected_lag1(normal_scores(x))
        if n < 50:
            rho += 0.5 * math.sqrt((1 - rho * rho) / n)
        effective /= indicator_inflation(min(rho, 0.99), p)
    if n >= 100:
        place = np.sort(x)[min(int(p * n), n - 1)]
        below = (x < place) + 0.5 * (x == place)
        if not is_constant(below):
            effective = min(effective, geyer(below))
    effective = float(np.clip(effective, 1, n))
    if effective <= 6:
        return effective
    ratio = stats.norm.ppf(0.975) / stats.t.ppf(0.975, effective / 3)
    return max(6.0, effective * (1 - (1 - ratio ** 2) * (1 - effective / n)))


def rank_interval(n, p, effective):
    """Ranks (from 1) of the order statistics that bound the quantile, or None."""
    def below(rank):  # probability that fewer than `rank` samples lie at or below the quantile
        k = (rank - 0.5) * effective / n - 0.5
        return 0.0 if k <= -1 else 1.0 if k >= effective else special.betainc(effective - k, k + 1, 1 - p)
    ranks = range(1, n + 1)
    lows = [r for r in ranks if below(r) <= 0.025]
    highs = [r for r in ranks if 1 - below(r) <= 0.025]
    if not lows or not highs:
        return None
    low, high = max(lows), min(highs)
    if low < n and below(low + 1) + 1 - below(high) <= 0.05:
        low += 1
    elif high > 1 and below(low) + 1 - below(high - 1) <= 0.05:
        high -= 1
    return low, max(low, high)


def median(x):
    """(value, low, high); the interval may be None."""
    effective = effective_n_of_quantile(x, 0.5)
    ranks = rank_interval(len(x), 0.5, effective) if effective >= 6 else None
    ordered = np.sort(x)
    return (float(np.median(x)),) + ((ordered[ranks[0] - 1], ordered[ranks[1] - 1]) if ranks else (None, None))


def percentile(x, p):
    """(value, low, high), or None where the samples do not carry it."""
    effective = effective_n_of_quantile(x, p)
    if effective < smallest_count(p):
        return None
    ranks = rank_interval(len(x), p, effective)
    ordered = np.sort(x)
    value = float(np.quantile(x, p, method="inverted_cdf"))
    return (value,) + ((ordered[ranks[0] - 1], ordered[ranks[1] - 1]) if ranks else (None, None))


def mean(x, effective=None):
    """(value, low, high): t interval of `effective` samples, moved towards the longer tail from 10 samples on."""
    x = np.asarray(x, dtype=float)
    n = len(x)
    effective = float(n) if effective is None else effective
    value = math.fsum(x) / n
    if n < 2 or effective < 2:
        return value, None, None
    squares = (x - np.mean(x)) ** 2
    if n >= 100 and np.max(squares) > max(0.1, 25 / n) * np.sum(squares):
        return value, None, None  # one sample would decide the interval
    error = np.std(x) / math.sqrt(effective - 1)
    t = stats.t.ppf(0.975, effective - 1)
    skew = stats.skew(x) if n >= 10 and not is_constant(x) else 0.0
    shift = float(np.clip(skew * (2 * t * t + 1) / (6 * math.sqrt(effective)) * error, -t * error, t * error))
    low = value - t * error + min(0.0, shift)
    return value, max(0.0, low) if np.min(x) >= 0 else low, value + t * error + max(0.0, shift)


def rate(work, time):
    """(value, low, high) of total work / total time, by the delta method."""
    work, time = np.asarray(work, dtype=float), np.asarray(time, dtype=float)
    value = math.fsum(work) / math.fsum(time)
    if len(work) < 3:
        return value, None, None
    deviations = (work - value * time) / np.mean(time)
    _, low, high = mean(deviations, effective_n_of_mean(deviations))
    return (value, max(0.0, value + low), value + high) if low is not None else (value, None, None)


def slope(y):
    """(value, low, high): the median of the slopes between all pairs, with Sen's interval. For at most 512 values."""
    n = len(y)
    i, j = np.triu_indices(n, 1)
    slopes = np.sort((np.asarray(y)[j] - np.asarray(y)[i]) / (j - i))
    value = float(np.median(slopes))
    r = lag1(np.asarray(y) - value * np.arange(n))
    rho = 0.0
    if r is not None:
        rho = float(np.clip((n * r + 2) / (n - 4), 0, 1))
        rho = min(rho + (1 if n < 50 else rho) * 0.5 * math.sqrt((1 - rho * rho) / n), 0.99)
    reach = stats.norm.ppf(0.975) * math.sqrt(n * (n - 1) * (2 * n + 5) / 18 * (1 + rho) / (1 - rho))
    ends = np.rint([(len(slopes) - reach) / 2 - 1, (len(slopes) + reach) / 2]).astype(int)
    low, high = slopes[np.clip(ends, 0, len(slopes) - 1)]
    return value, float(low), float(high)


def by_weight(values, weights):
    """Numbers whose plain mean is the weighted one of `values`, and whose deviations are those of a ratio's numerator."""
    if len(set(weights)) == 1:
        return values
    shares = np.array(weights) * len(weights) / math.fsum(weights)
    value = math.fsum(w * v for w, v in zip(weights, values)) / math.fsum(weights)
    return list(value + shares * (np.array(values) - value))


def combine(estimates, weights=None):
    """One estimate of several replicates' ones: (value, low, high, kind). Ratios count by their denominators."""
    values = [e[0] for e in estimates]
    counted = by_weight(values, weights) if weights else values
    if len(estimates) == 1:
        value, low, high = estimates[0]
        return value, low, high, "none" if low is None else "single_window"
    if len(estimates) >= 3:
        value, low, high = mean(counted)
        if low is not None and min(values) >= 0:
            low = max(low, 0.0)
        return value, low, high, "between_replicates"
    if any(e[1] is None for e in estimates):
        return float(np.mean(counted)), None, None, "none"
    return float(np.mean(counted)), min(e[1] for e in estimates), max(e[2] for e in estimates), "single_window"


def macro_f1(labels, predicted):
    """Mean F1 over the classes that occur among labels or predictions."""
    labels, predicted = np.array(labels), np.array(predicted)
    right = labels == predicted
    f1 = [2 * np.sum(right & (labels == c)) / (np.sum(labels == c) + np.sum(predicted == c))
          for c in np.union1d(labels, predicted)]
    return float(np.mean(f1))


def proportion(successes, n):
    """(value, low, high) by Wilson's score interval."""
    interval = stats.binomtest(successes, n).proportion_ci(0.95, method="wilson")
    return successes / n, interval.low, interval.high
