"""Growth that goes on. What is lost again and again grows each time; caches and a fragmented heap only now and then."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

BLOCKS = 5


def steady_growth(measure: Callable[[], int], work: Callable[[], object], rounds: int) -> int:
    """By how much a measure grew in the one of five blocks of work in which it grew the least."""
    values = [measure()]
    for _ in range(BLOCKS):
        for _ in range(max(1, rounds // BLOCKS)):
            work()
        values.append(measure())
    return min(after - before for before, after in pairwise(values))
