"""The nearest neighbours of each vector, exactly, in both directions from one pass over the product."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .. import _kernel
from ..threads import resolve_threads

Vectors = npt.NDArray[np.float32]

BELOW_ANY_COSINE = -2.0
_ROWS, _COLUMNS = 512, 4096  # a block of cosines: 8 MB


@dataclass(frozen=True)
class Neighbours:
    """Row i: the nearest of the other side to vector i, from the nearest on; −1 where there are not so many."""

    index: npt.NDArray[np.int32]  # (n, k)
    cosine: Vectors  # (n, k)

    @property
    def mean(self) -> Vectors:
        """The mean cosine with the neighbours there are, (n,); 0 if there is none."""
        found = self.index >= 0
        total = np.where(found, self.cosine, 0).sum(axis=1, dtype=np.float32)
        mean: Vectors = total / np.maximum(found.sum(axis=1), 1).astype(np.float32)
        return mean


@dataclass(frozen=True)
class BothWays:
    forward: Neighbours  # of each source among the targets
    backward: Neighbours  # of each target among the sources

    @property
    def turned(self) -> BothWays:
        return BothWays(self.backward, self.forward)


def nearest(source: Vectors, target: Vectors, k: int = 4, threads: int | None = None) -> BothWays:
    """The k nearest of the other side by cosine; of equals, the earlier. Vectors must have length 1 (or be zero)."""
    count = resolve_threads(threads)
    forward, backward = _nothing_yet(len(source), k), _nothing_yet(len(target), k)
    for row in range(0, len(source), _ROWS):
        for column in range(0, len(target), _COLUMNS):
            cosines = source[row : row + _ROWS] @ target[column : column + _COLUMNS].T
            _kernel.offer(cosines, row, column, forward.cosine, forward.index, backward.cosine, backward.index, count)
    return BothWays(forward, backward)


def _nothing_yet(count: int, k: int) -> Neighbours:
    return Neighbours(np.full((count, k), -1, np.int32), np.full((count, k), BELOW_ANY_COSINE, np.float32))
