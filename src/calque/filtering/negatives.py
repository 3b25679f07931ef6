"""Wrong pairs made from right ones, to see how wrong pairs score."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..corpus import Pair
from .halves import halves_of
from .scores import Scores


def shuffled(pairs: Sequence[Pair]) -> list[Pair]:
    """Each source with the target of another pair."""
    turned = [*pairs[1:], *pairs[:1]]
    return [Pair(one.source, two.target) for one, two in zip(pairs, turned, strict=True)]


def halved(pairs: Sequence[Pair]) -> list[Pair]:
    """Each pair with half of one side only: first or second half of source or target, in turn."""
    sources, targets = (halves_of([pair[side] for pair in pairs]) for side in (0, 1))
    made = []
    for at, pair in enumerate(pairs):
        half = (at // 2) % 2
        made.append(Pair(pair.source, targets[half][at]) if at % 2 else Pair(sources[half][at], pair.target))
    return made


def negatives(sample: Sequence[Pair], scores: Scores) -> list[list[Pair]]:
    """Wrong pairs of each kind, unrelated and halved, made of a sample that scores so.

    Only the better half of the sample is halved: a pair that has too much on one side would be mended by it.
    """
    better = [sample[at] for at in np.flatnonzero(scores >= np.median(scores)).tolist()]
    return [shuffled(sample), halved(better)]
