"""The nearest neighbours of each vector, exactly, in both directions from one pass over the product."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from .. import _kernel
from ..threads import resolve_threads

Vectors = npt.NDArray[np.float32]

BELOW_ANY_COSINE = -2.0
_ROWS, _COLUMNS = 8192, 16384  # of a block: laying it out costs a few hundredths of its product, a fifth of a second


class Rows(Protocol):
    """An array, or a file that is read as it is sliced."""

    def __len__(self) -> int: ...

    def __getitem__(self, which: slice, /) -> Vectors: ...


@dataclass(frozen=True)
class Neighbours:
    """Row i: the nearest of the other side to vector i, from the nearest on; −1 where there are not so many."""

    index: npt.NDArray[np.int32]  # (n, k)
    cosine: Vectors  # (n, k)

    @property
    def mean(self) -> Vectors:
        """The mean cosine with the neighbours there are, (n,); 0 if there is none."""
        return self.mean_of(None)

    def mean_of(self, k: int | None) -> Vectors:
        """The same with the first `k` neighbours only."""
        found = self.index[:, :k] >= 0
        total = np.where(found, self.cosine[:, :k], 0).sum(axis=1, dtype=np.float32)
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
    found = nothing_yet(len(source), len(target), k)
    look_through(found, source, 0, target, resolve_threads(threads))
    return found


def nothing_yet(sources: int, targets: int, k: int) -> BothWays:
    return BothWays(no_neighbours(sources, k), no_neighbours(targets, k))


def no_neighbours(count: int, k: int) -> Neighbours:
    """Places for what is yet to be found."""
    return Neighbours(np.full((count, k), -1, np.int32), np.full((count, k), BELOW_ANY_COSINE, np.float32))


def look_through(
    found: BothWays,
    source: Vectors,
    first_row: int,
    target: Rows,
    threads: int,
    watch: Callable[[int], None] = lambda cosines: None,
) -> None:
    """Adds to `found`, in place, what a run of sources from `first_row` on has to do with all targets.

    Runs must come in their order: of equals, the neighbour that is seen first is kept. Targets are asked for some
    thousand at a time, once a run. `watch` hears how many cosines were looked at since it heard last.
    """
    forward, backward = found.forward, found.backward
    rows = np.ascontiguousarray(source, np.float32)
    for column in range(0, len(target), _COLUMNS):
        columns = np.ascontiguousarray(target[column : column + _COLUMNS], np.float32)
        for row in range(0, len(rows), _ROWS):
            part = rows[row : row + _ROWS]
            _kernel.meet(
                part,
                columns,
                first_row + row,
                column,
                forward.cosine,
                forward.index,
                backward.cosine,
                backward.index,
                threads,
            )
            watch(len(part) * len(columns))
