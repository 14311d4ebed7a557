"""In which order the arms take their turns.

Orders come from a Williams design: within one square each arm stands once in every place, and each arm follows every
other equally often, so that neither drift nor what a predecessor leaves behind (heat, caches) favours one. Arms are
dealt to the square's letters anew for each square, and its rows shuffled. Source: Williams, E. J. (1949), Experimental
designs balanced for the estimation of residual effects of treatments.
"""
from __future__ import annotations

import random


def williams_square(count: int) -> list[list[int]]:
    """`count` orders of 0 … count−1 where `count` is even, twice as many where it is odd."""
    first = [0]
    for step in range(1, count):
        first.append((first[-1] + (step if step % 2 else -step)) % count)
    rows = [[(letter + shift) % count for letter in first] for shift in range(count)]
    return rows if count % 2 == 0 else rows + [row[::-1] for row in rows]


def orders(arms: list[str], rounds: int, seed: int = 0) -> list[list[str]]:
    """One order of all arms for each round; balanced where `rounds` is a multiple of the square's rows."""
    draw = random.Random(seed)
    result: list[list[str]] = []
    while arms and len(result) < rounds:
        letters = draw.sample(arms, len(arms))
        square = [[letters[index] for index in row] for row in williams_square(len(arms))]
        draw.shuffle(square)
        result += square
    return result[:rounds]
