"""Leaders and followers: one after the other, a text follows the nearest leader, or becomes one if none is near.

Joining all that are near would make chains: a like b, b like c, and c dropped for a, which it does not resemble. Here
whatever follows is near to a leader, or has its very letters.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from .scratch import Vectors, scratch_matrix
from .sketch import Sketch
from .units import Indices, Units

Report = Callable[[float], None]  # told the share that is done

_ROWS, _COLUMNS = 1024, 4096  # a block of bounds: 16 MB
_SAMPLE = 1 << 14
_ROUNDING = 2e-6  # float32: a cosine with itself may come to a little less than 1


class Earlier(NamedTuple):
    """Leaders that had their turn before all of some units, by any numbers from 0: for each unit, or −1."""

    same: Indices  # with its letters and digits
    near: Indices  # the nearest; unless there is one with its letters, which goes first
    similarity: npt.NDArray[np.float32]


def no_earlier(count: int) -> Earlier:
    """Places for what is yet to be found."""
    return Earlier(np.full(count, -1), np.full(count, -1), np.full(count, -2, np.float32))


def find_leaders(
    units: Units,
    order: Indices,
    threshold: float,
    report: Report = lambda share: None,
    earlier: Earlier | None = None,
) -> Indices:
    """The leader of each unit: itself, or one that had its turn before it in `order`.

    Number i of the earlier ones is called len(units) + i.
    """
    search = _Search(units, threshold, len(units))
    leaders = np.arange(len(units))
    for begin in range(0, len(order), _ROWS):
        block = order[begin : begin + _ROWS]
        leaders[block] = search.same_letters(block)
        if earlier is not None:
            leaders[block] = np.where(earlier.same[block] < 0, leaders[block], len(units) + earlier.same[block])
        block = block[leaders[block] < 0]
        sketches = search.sketch(block)
        best = _Best(len(block))
        if earlier is not None:
            known = earlier.near[block]
            best.leader[:] = np.where(known < 0, -1, len(units) + known)
            best.similarity[:] = np.where(known < 0, best.similarity, earlier.similarity[block])
        search.nearest(block, sketches, best)
        search.settle(block, best, sketches)
        leaders[block] = np.where(best.leader < 0, block, best.leader)
        report(min(begin + _ROWS, len(order)) ** 2 / len(order) ** 2)  # later blocks meet more leaders
    return leaders


def find_references(units: Units, references: int, threshold: float, report: Report = lambda share: None) -> Indices:
    """For each unit after the first `references`, one of those with its letters, or the nearest, or −1 if none is."""
    found = find_earlier(units, references, threshold, report)
    return np.where(found.same >= 0, found.same, found.near)


def find_earlier(units: Units, leaders: int, threshold: float, report: Report = lambda share: None) -> Earlier:
    """The first `leaders` units as the others find them."""
    search = _Search(units, threshold, leaders)
    for begin in range(0, leaders, _ROWS):
        block = np.arange(begin, min(begin + _ROWS, leaders))
        search.add(block, search.sketch(block))
    count = len(units) - leaders
    found = no_earlier(count)
    for begin in range(leaders, len(units), _ROWS):
        block = np.arange(begin, min(begin + _ROWS, len(units)))
        found.same[block - leaders] = search.same_letters(block)
        block = block[found.same[block - leaders] < 0]
        best = _Best(len(block))
        search.nearest(block, search.sketch(block), best)
        found.near[block - leaders], found.similarity[block - leaders] = best.leader, best.similarity
        report((min(begin + _ROWS, len(units)) - leaders) / count)
    return found


class _Best:
    """For each row of a block, the nearest leader so far; of equals, the earlier."""

    def __init__(self, rows: int) -> None:
        self.leader = np.full(rows, -1, np.int64)
        self.similarity = np.full(rows, -2, np.float32)

    def offer(self, rows: Indices, leaders: Indices, similarity: npt.NDArray[np.float32]) -> None:
        order = np.lexsort((np.arange(len(rows)), -similarity, rows))  # each row's best comes first
        rows, leaders, similarity = rows[order], leaders[order], similarity[order]
        first = np.flatnonzero(np.diff(rows, prepend=-1))
        better = first[similarity[first] > self.similarity[rows[first]]]
        self.leader[rows[better]], self.similarity[rows[better]] = leaders[better], similarity[better]


class _Near(NamedTuple):
    """Pairs that are near, by row: places in a block and among its possible leaders."""

    row: Indices
    column: Indices
    similarity: npt.NDArray[np.float32]


class _Search:
    """The leaders so far, as sketches in the order they came in, and by their letters."""

    def __init__(self, units: Units, threshold: float, most: int) -> None:
        self._units = units
        self._threshold = threshold - _ROUNDING
        self._sketch = Sketch(units.vectors[:: max(len(units) // _SAMPLE, 1)])
        self._sketches = scratch_matrix(most, self._sketch.width)
        self._leaders = np.empty(most, np.int64)
        self._count = 0
        letters, self._letters_of = np.unique(units.letters, return_inverse=True)
        self._leader_of = np.full(len(letters), -1, np.int64)

    def sketch(self, block: Indices) -> Vectors:
        return self._sketch(self._units.vectors[block])

    def same_letters(self, block: Indices) -> Indices:
        """The leader that has each unit's letters and digits, or −1."""
        return self._leader_of[self._letters_of[block]]

    def add(self, block: Indices, sketches: Vectors) -> None:
        """New leaders; of those with the same letters, the first stands for them."""
        end = self._count + len(block)
        self._sketches[self._count : end], self._leaders[self._count : end] = sketches, block
        self._count = end
        new = block[self.same_letters(block) < 0][::-1]
        self._leader_of[self._letters_of[new]] = new  # of several, the last assignment stays

    def nearest(self, block: Indices, sketches: Vectors, best: _Best) -> None:
        for begin in range(0, self._count, _COLUMNS):
            part = slice(begin, min(begin + _COLUMNS, self._count))
            near = self._near(block, sketches, self._leaders[part], self._sketches[part])
            best.offer(near.row, self._leaders[part][near.column], near.similarity)

    def settle(self, block: Indices, best: _Best, sketches: Vectors) -> None:
        """Row by row, lets a block follow the leaders within it, which this makes of those that follow nobody."""
        row, column, similarity = self._near(block, sketches, block, sketches)
        ends = np.searchsorted(row, np.arange(len(block)), side="right").tolist()
        begin = 0
        leading: dict[int, int] = {}  # letters, unit
        for at, (letters, end) in enumerate(zip(self._letters_of[block].tolist(), ends, strict=True)):
            if letters in leading:
                best.leader[at] = leading[letters]
            else:
                part = begin + np.flatnonzero((column[begin:end] < at) & (best.leader[column[begin:end]] < 0))
                if len(part):
                    best.offer(row[part], block[column[part]], similarity[part])
                if best.leader[at] < 0:
                    leading[letters] = int(block[at])
            begin = end
        new = np.flatnonzero(best.leader < 0)
        self.add(block[new], sketches[new])

    def _near(self, rows: Indices, row_sketches: Vectors, columns: Indices, column_sketches: Vectors) -> _Near:
        """All pairs at or above the threshold whose digits agree."""
        bounds = row_sketches @ column_sketches.T
        possible = np.flatnonzero(bounds.ravel() >= self._units.sides * self._threshold - _ROUNDING)
        row, column = np.divmod(possible, max(len(columns), 1))
        digits = self._units.digits
        allowed = digits[rows[row]] == digits[columns[column]]
        row, column = row[allowed], column[allowed]
        similarity = self._units.similarities(rows[row], columns[column])
        near = similarity >= self._threshold
        return _Near(row[near], column[near], similarity[near])
