"""The order in which our worker takes the examples of a file, so that a file can be written for the order wanted.

The worker shuffles examples by a seeded stream (src/shared/base/random.h, src/shared/datasets/cycle.cpp). The same lines here let all
engines see the same batches; that they do is checked by the count of tokens the worker reads back.
"""
from __future__ import annotations

import hashlib

_MASK = (1 << 64) - 1


class RandomStream:
    """SplitMix64 seeded by the first 8 bytes of SHA-256 of "seed/name"."""

    def __init__(self, seed: int, name: str):
        self._state = int(hashlib.sha256(f"{seed}/{name}".encode()).hexdigest()[:16], 16)

    def next(self) -> int:
        self._state = (self._state + 0x9E3779B97F4A7C15) & _MASK
        z = self._state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK
        return z ^ (z >> 31)

    def below(self, bound: int) -> int:
        threshold = ((1 << 64) - bound) % bound
        value = self.next()
        while value < threshold:
            value = self.next()
        return value % bound


def order_of(count: int, seed: int = 0) -> list[int]:
    """Position i of the worker's order is row order[i] of the file."""
    order = list(range(count))
    random = RandomStream(seed, "cycle/order")
    for i in range(count, 1, -1):
        j = random.below(i)
        order[i - 1], order[j] = order[j], order[i - 1]
    return order


def rows_for(texts: list[str], seed: int = 0) -> list[str]:
    """The rows of a file of which the worker makes `texts`, in this order."""
    rows = [""] * len(texts)
    for text, row in zip(texts, order_of(len(texts), seed)):
        rows[row] = text
    return rows
