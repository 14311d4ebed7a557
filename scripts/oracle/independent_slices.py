"""Prints what tests/stats/independent_slices_test.cpp expects, written from docs/metrics.md (Independent slices)."""
import numpy as np
from scipy import stats

EVERY_S = 2.0
PARTS = 6


def swinging(period_s, cases=3, rounds=20):
    """[start, seconds] of each case, measured in turn on a machine whose speed swings by 5 %."""
    made = []
    for i in range(cases):
        start = EVERY_S * (cases * np.arange(rounds) + i)
        made.append([start, (i + 1) * np.exp(0.05 * np.sin(2 * np.pi * start / period_s))])
    return made


def variance_between_sixths(cases, weights, begin, length):
    sums, total = np.zeros(PARTS), np.zeros(PARTS)
    for (start, seconds), weight in zip(cases, weights):
        rank = (stats.rankdata(seconds) - 0.5) / len(seconds) - 0.5
        part = np.clip(np.floor((start - begin) / length * PARTS).astype(int), 0, PARTS - 1)
        np.add.at(sums, part, weight * rank)
        np.add.at(total, part, weight)
    return 12 * np.var(sums / total, ddof=1)


def independent(cases):
    begin = np.median([np.sort(start)[1] for start, _ in cases])
    length = np.median([start.max() for start, _ in cases]) - begin
    logs = [np.log(seconds) for _, seconds in cases]
    weights = [1 / np.median(np.abs(log - np.median(log))) ** 2 for log in logs]
    shared = variance_between_sixths(cases, weights, begin, length)
    counts = []
    for case in cases:
        scatter = PARTS / len(case[1])
        own = variance_between_sixths([case], [1], begin, length)
        moods = max(shared, own - scatter) if own > 1.5 * (shared + scatter) else shared
        counts.append(max(1.0, 1 / (moods + 1 / len(case[1]))))
    return counts


def scattered(cases, index):
    place = np.arange(len(cases[index][1]))
    cases[index][1] = cases[index][1] * np.exp(0.05 * (place * place % 5 - 2.0))
    return cases


def with_own_mood(cases, index):
    start, seconds = cases[index]
    cases[index][1] = seconds * np.exp(0.5 * np.sin(2 * np.pi * start / 90))
    return cases


def with_further(cases):
    start = 170 + 4.0 * np.arange(6)
    cases[0] = [np.concatenate([cases[0][0], start]),
                np.concatenate([cases[0][1], np.exp(0.05 * np.sin(2 * np.pi * start / 4.7))])]
    return cases


for name, cases in (("short moods", swinging(4.1)), ("longer moods", swinging(26.1)), ("as long as the run", swinging(400)),
                    ("one noisy case", scattered(swinging(26.1), 2)), ("moods of its own", with_own_mood(swinging(4.7, 4), 3)),
                    ("further slices", with_further(swinging(4.7, 4)))):
    print(name, ", ".join(repr(float(count)) for count in independent(cases)))
