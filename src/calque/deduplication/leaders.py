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


def find_leaders(units: Units, order: Indices, threshold: float, report: Report = lambda share: None) -> Indices:
    """The leader of each unit: itself, or one that had its turn before it in `order`."""
    search = _Search(units, threshold, len(units))
    leaders = np.arange(len(units))
    for begin in range(0, len(order), _ROWS):
        block = order[begin : begin + _ROWS]
        leaders[block] = search.same_letters(block)
        block = block[leaders[block] < 0]
        sketches = search.sketch(block)
        best = search.nearest(block, sketches)
        search.settle(block, best, sketches)
        leaders[block] = np.where(best.leader < 0, block, best.leader)
        report(min(begin + _ROWS, len(order)) ** 2 / len(order) ** 2)  # later blocks meet more leaders
    return leaders


def find_references(units: Units, references: int, threshold: float, report: Report = lambda share: None) -> Indices:
    """For each unit after the first `references`, one of those with its letters, or the nearest, or −1 if none is."""
    search = _Search(units, threshold, references)
    for begin in range(0, references, _ROWS):
        block = np.arange(begin, min(begin + _ROWS, references))
        search.add(block, search.sketch(block))
    found = np.full(len(units), -1, np.int64)
    for begin in range(references, len(units), _ROWS):
        block = np.arange(begin, min(begin + _ROWS, len(units)))
        found[block] = search.same_letters(block)
        block = block[found[block] < 0]
        found[block] = search.nearest(block, search.sketch(block)).leader
        report((min(begin + _ROWS, len(units)) - references) / (len(units) - references))
    return found[references:]


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

    def nearest(self, block: Indices, sketches: Vectors) -> _Best:
        best = _Best(len(block))
        for begin in range(0, self._count, _COLUMNS):
            part = slice(begin, min(begin + _COLUMNS, self._count))
            near = self._near(block, sketches, self._leaders[part], self._sketches[part])
            best.offer(near.row, self._leaders[part][near.column], near.similarity)
        return best

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
