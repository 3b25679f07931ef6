"""One-to-one pairs from neighbours: the best first, each sentence at most once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .margin import Margin, margin_score
from .nearest import BothWays, Vectors, nearest

Indices = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Matches:
    """Pair i is (source[i], target[i]); scores never rise."""

    source: Indices
    target: Indices
    score: npt.NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.score)


def match(
    source: Vectors, target: Vectors, *, margin: Margin = "ratio", k: int = 4, threads: int | None = None
) -> Matches:
    """Each source's best target and each target's best source, taken from the best on while both are still free."""
    return match_neighbours(nearest(source, target, k, threads), margin)


def match_neighbours(found: BothWays, margin: Margin) -> Matches:
    forward, backward = best_neighbours(found, margin), best_neighbours(found.turned, margin)
    source = np.concatenate([forward.source, backward.target])
    target = np.concatenate([forward.target, backward.source])
    return _one_to_one(source, target, np.concatenate([forward.score, backward.score]))


def best_neighbours(found: BothWays, margin: Margin) -> Matches:
    """The best-scored of the neighbours of each source that has any, in the order of the sources."""
    neighbours, others = found.forward, found.backward.mean
    # Index −1 reads the last mean; what comes of it is replaced right after.
    of_others = others[neighbours.index] if others.size else np.zeros_like(neighbours.cosine)
    scores = margin_score(neighbours.cosine, neighbours.mean[:, None], of_others, margin)
    best = np.where(neighbours.index >= 0, scores, -np.inf).argmax(axis=1)
    chosen = neighbours.index[np.arange(len(best)), best]
    source = np.flatnonzero(chosen >= 0)
    return Matches(source, chosen[source].astype(np.int64), scores[source, best[source]])


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
