"""One-to-one pairs from neighbours: the best first, each sentence at most once."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from .margin import Margin, margin_score
from .nearest import BothWays, Neighbours, Vectors, nearest

Indices = npt.NDArray[np.int64]


class Matches(NamedTuple):
    """Pair i is (source[i], target[i]); scores never rise."""

    source: Indices
    target: Indices
    score: npt.NDArray[np.float32]

    def __len__(self) -> int:  # type: ignore[override]
        return self.score.size


def match(
    source: Vectors, target: Vectors, *, margin: Margin = "ratio", k: int = 4, threads: int | None = None
) -> Matches:
    """Each source's best target and each target's best source, taken from the best on while both are still free."""
    return match_neighbours(nearest(source, target, k, threads), margin)


def match_neighbours(found: BothWays, margin: Margin) -> Matches:
    forward = _best(found.forward, found.forward.mean, found.backward.mean, margin)
    backward = _best(found.backward, found.backward.mean, found.forward.mean, margin)
    source = np.concatenate([forward.source, backward.target])
    target = np.concatenate([forward.target, backward.source])
    return _one_to_one(source, target, np.concatenate([forward.score, backward.score]))


def _best(neighbours: Neighbours, own_mean: Vectors, other_mean: Vectors, margin: Margin) -> Matches:
    """The best-scored neighbour of each vector that has any."""
    # Index −1 reads the last mean; what comes of it is replaced right after.
    of_others = other_mean[neighbours.index] if other_mean.size else np.zeros_like(neighbours.cosine)
    scores = margin_score(neighbours.cosine, own_mean[:, None], of_others, margin)
    scores = np.where(neighbours.index >= 0, scores, -np.inf)
    best = scores.argmax(axis=1)
    rows = np.arange(len(best))
    which = np.flatnonzero(neighbours.index[rows, best] >= 0)
    return Matches(which, neighbours.index[which, best[which]].astype(np.int64), scores[which, best[which]])


def _one_to_one(source: Indices, target: Indices, score: npt.NDArray[np.float32]) -> Matches:
    """Of equal scores, the pair with the smaller source, then the smaller target, comes first."""
    order = np.lexsort((target, source, -score))
    source, target, score = source[order], target[order], score[order]
    taken_sources, taken_targets, kept = set(), set(), []
    for at, (one, two) in enumerate(zip(source.tolist(), target.tolist(), strict=True)):
        if one not in taken_sources and two not in taken_targets:
            taken_sources.add(one)
            taken_targets.add(two)
            kept.append(at)
    return Matches(source[kept], target[kept], score[kept])
