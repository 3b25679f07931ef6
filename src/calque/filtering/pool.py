"""Other sentences of the corpus: how near the nearest of them come to a pair's sides by chance."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from ..corpus import Pair
from ..encoder import Vectors
from ..neighbours.nearest import Neighbours, look_through, nothing_yet
from ..threads import resolve_threads

SIZE = 1024  # pairs; four times as many measured the same, and take four times as long
NEAREST = 4

Scores = npt.NDArray[np.float32]


class Pool:
    """Pairs of which no two have a side in common.

    A pair is not compared with one that has the same source or target: it may well be its own copy.
    """

    def __init__(
        self, pairs: Sequence[Pair], encode: Callable[[list[str], int], Vectors], threads: int | None = None
    ) -> None:
        distinct = _distinct(pairs)
        texts = [[pair[side] for pair in distinct] for side in (0, 1)]
        self._places = [{text: at for at, text in enumerate(side)} for side in texts]
        self._vectors = [encode(texts[side], side) for side in (0, 1)]
        self._threads = resolve_threads(threads)

    def nearness(self, texts: Sequence[Sequence[str]], vectors: Sequence[Vectors]) -> tuple[Scores, Scores]:
        """The mean cosine of each source with its nearest targets in the pool, and of each target with its sources.

        0 where the pool has nothing.
        """
        excluded = [_found(texts[side], self._places[side]) for side in (0, 1)]
        source, target = (self._mean(vectors[side], self._vectors[1 - side], excluded) for side in (0, 1))
        return source, target

    def _mean(self, vectors: Vectors, pool: Vectors, excluded: Sequence[npt.NDArray[np.int64]]) -> Scores:
        """By the kernel, whose cosines do not depend on what else is in the batch; and it is faster than BLAS."""
        found = nothing_yet(len(vectors), len(pool), NEAREST + len(excluded))
        look_through(found, vectors, 0, pool, self._threads)
        index, cosine = found.forward.index, found.forward.cosine
        gone = np.any([index == places[:, None] for places in excluded], axis=0)
        order = np.argsort(gone, axis=1, kind="stable")[:, :NEAREST]
        left = np.where(np.take_along_axis(gone, order, 1), -1, np.take_along_axis(index, order, 1))
        return Neighbours(left, np.take_along_axis(cosine, order, 1)).mean


def _found(texts: Sequence[str], places: dict[str, int]) -> npt.NDArray[np.int64]:
    return np.fromiter((places.get(text, -1) for text in texts), np.int64, len(texts))


def _distinct(pairs: Sequence[Pair]) -> list[Pair]:
    seen: tuple[set[str], set[str]] = (set(), set())
    kept = []
    for pair in pairs:
        if pair[0] not in seen[0] and pair[1] not in seen[1]:
            kept.append(pair)
            seen[0].add(pair[0])
            seen[1].add(pair[1])
    return kept
