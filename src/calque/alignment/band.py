"""Which part of the lattice of two documents is searched."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[np.int64]


class Step(NamedTuple):
    """How many sentences of each document a step takes; a skip takes one of one and none of the other."""

    source: int
    target: int


@dataclass(frozen=True)
class Band:
    """Of row i, after i sources, the columns first[i] to last[i]: so many targets may have been dealt with by then."""

    first: Numbers
    last: Numbers

    @classmethod
    def full(cls, sources: int, targets: int) -> Band:
        return cls(np.zeros(sources + 1, np.int64), np.full(sources + 1, targets, np.int64))

    @classmethod
    def around(cls, steps: Sequence[Step], sources: int, targets: int, width: int) -> Band:
        """What lies within `width` sentences of a way through the halved documents, either way."""
        rows, columns = (2 * corners for corners in _corners(steps))
        rows, columns = np.minimum(rows, sources), np.minimum(columns, targets)
        every = np.arange(sources + 1)
        at, begins = np.unique(rows, return_index=True)
        ends = np.append(begins[1:], len(rows)) - 1
        lowest, highest = np.interp(every, at, columns[begins]), np.interp(every, at, columns[ends])
        above, below = np.maximum(every - width, 0), np.minimum(every + width, sources)
        first = np.maximum(np.floor(lowest[above]).astype(np.int64) - width, 0)
        last = np.minimum(np.ceil(highest[below]).astype(np.int64) + width, targets)
        return cls(first, last)

    @property
    def offsets(self) -> Numbers:
        """Where each row's nodes begin in a flat array of all, and where the last row's end."""
        return np.concatenate([[0], np.cumsum(self.last - self.first + 1)]).astype(np.int64)

    def chunks(self, rows: int, cells: int) -> Iterator[tuple[int, int]]:
        """Rows begin to end, no more than `rows` and about `cells` in the rectangle around their nodes."""
        begin, count = 0, len(self.first)
        while begin < count:
            end = min(begin + rows, count)
            while end - begin > 1 and (end - begin) * (self.last[end - 1] - self.first[begin] + 1) > cells:
                end = begin + (end - begin) // 2
            yield begin, end
            begin = end


def _corners(steps: Sequence[Step]) -> tuple[Numbers, Numbers]:
    """The nodes that a way passes, without those between skips, whose order means nothing: there it runs straight."""
    taken = np.array([(0, 0), *steps], np.int64)
    nodes = np.cumsum(taken, axis=0)
    skipping = (taken == 0).any(axis=1)
    between = np.append(skipping[1:-1] & skipping[2:], False)
    kept = np.concatenate([[True], ~between])
    return nodes[kept, 0], nodes[kept, 1]
