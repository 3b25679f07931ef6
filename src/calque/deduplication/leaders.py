"""Leaders and followers: one after the other, a text follows the nearest leader, or becomes one if none is near.

Joining all that are near would make chains: a like b, b like c, and c dropped for a, which it does not resemble. Here
a follower is near to its leader, or has its very letters. A near leader that says something else is not followed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from .best import BY_NUMBER, NOWHERE, Best, SparedUnits, none_spared
from .contrast import REASONS, Contrast
from .scratch import Vectors, scratch_matrix
from .sketch import Sketch
from .units import Indices, Units

Report = Callable[[float], None]  # told the share that is done

_ROWS, _COLUMNS = 1024, 4096  # a block of bounds: 16 MB
_SAMPLE = 1 << 14
_ROUNDING = 2e-6  # float32: a cosine with itself may come to a little less than 1
_TRIES = 4  # most similar candidates to try one by one before all of a row are compared
_NUMBER = REASONS.index("number") + 1


class Earlier(NamedTuple):
    """Leaders that had their turn before all of some units, by any numbers from 0: for each unit, or −1."""

    same: Indices  # with its letters and digits
    near: Indices  # the nearest; unless there is one with its letters, which goes first
    similarity: npt.NDArray[np.float32]
    spared: SparedUnits  # near, and told apart


class Led(NamedTuple):
    """For each unit, its leader; for those that have none, what they were spared for."""

    leader: Indices
    spared: SparedUnits


def no_earlier(count: int) -> Earlier:
    """Return places for what is yet to be found."""
    return Earlier(np.full(count, -1), np.full(count, -1), np.full(count, NOWHERE, np.float32), none_spared(count))


def find_leaders(
    units: Units,
    order: Indices,
    threshold: float,
    report: Report = lambda share: None,
    earlier: Earlier | None = None,
    contrast: Contrast | None = None,
) -> Led:
    """Find the leader of each unit: itself, or one that had its turn before it in `order`.

    Number i of the earlier ones is called len(units) + i.
    """
    search = _Search(units, threshold, len(units), contrast)
    leaders, spared = np.arange(len(units)), none_spared(len(units))
    for begin in range(0, len(order), _ROWS):
        block = order[begin : begin + _ROWS]
        leaders[block] = search.same_letters(block)
        if earlier is not None:
            leaders[block] = np.where(earlier.same[block] < 0, leaders[block], len(units) + earlier.same[block])
        block = block[leaders[block] < 0]
        sketches = search.sketch(block)
        best = search.best(block)
        if earlier is not None:
            known = earlier.near[block]
            best.leader[:] = np.where(known < 0, -1, len(units) + known)
            best.similarity[:] = np.where(known < 0, best.similarity, earlier.similarity[block])
            best.spared.put(np.arange(len(block)), earlier.spared, block)
        search.nearest(block, sketches, best)
        search.settle(block, best, sketches)
        leading = best.leader < 0
        leaders[block] = np.where(leading, block, best.leader)
        spared.put(block[leading], best.spared, np.flatnonzero(leading))
        report(min(begin + _ROWS, len(order)) ** 2 / len(order) ** 2)  # later blocks meet more leaders
    return Led(leaders, spared)


def find_references(
    units: Units,
    references: int,
    threshold: float,
    report: Report = lambda share: None,
    contrast: Contrast | None = None,
) -> Led:
    """For each unit after the first `references`, find one of those with its letters, or the nearest, or −1."""
    found = find_earlier(units, references, threshold, report, contrast)
    return Led(np.where(found.same >= 0, found.same, found.near), found.spared)


def find_earlier(
    units: Units,
    leaders: int,
    threshold: float,
    report: Report = lambda share: None,
    contrast: Contrast | None = None,
) -> Earlier:
    """The first `leaders` units as the others find them."""
    search = _Search(units, threshold, leaders, contrast)
    for begin in range(0, leaders, _ROWS):
        block = np.arange(begin, min(begin + _ROWS, leaders))
        search.add(block, search.sketch(block))
    count = len(units) - leaders
    found = no_earlier(count)
    for begin in range(leaders, len(units), _ROWS):
        block = np.arange(begin, min(begin + _ROWS, len(units)))
        found.same[block - leaders] = search.same_letters(block)
        block = block[found.same[block - leaders] < 0]
        best = search.best(block)
        search.nearest(block, search.sketch(block), best)
        found.near[block - leaders], found.similarity[block - leaders] = best.leader, best.similarity
        found.spared.put(block - leaders, best.spared)
        report((min(begin + _ROWS, len(units)) - leaders) / count)
    return found


class _Near(NamedTuple):
    """Pairs that are near, by row: places in a block and among its possible leaders."""

    row: Indices
    column: Indices
    similarity: npt.NDArray[np.float32]


class _Search:
    """The leaders so far, as sketches in the order they came in, and by their letters."""

    def __init__(self, units: Units, threshold: float, most: int, contrast: Contrast | None) -> None:
        self._units = units
        self._contrast = contrast
        self._threshold = threshold - _ROUNDING
        self._bound = units.sides * self._threshold - _ROUNDING
        self._sketch = Sketch(units.vectors[:: max(len(units) // _SAMPLE, 1)])
        self._sketches = scratch_matrix(most, self._sketch.width)
        self._leaders = np.empty(most, np.int64)
        self._count = 0
        letters, self._letters_of = np.unique(units.letters, return_inverse=True)
        self._leader_of = np.full(len(letters), -1, np.int64)

    def sketch(self, block: Indices) -> Vectors:
        return self._sketch(self._units.vectors[block])

    def best(self, block: Indices) -> Best:
        return Best(self._units, block, self._contrast)

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

    def nearest(self, block: Indices, sketches: Vectors, best: Best) -> None:
        for begin in range(0, self._count, _COLUMNS):
            part = slice(begin, min(begin + _COLUMNS, self._count))
            self._meet(block, self._leaders[part], sketches @ self._sketches[part].T, best)

    def _meet(self, block: Indices, leaders: Indices, bounds: Vectors, best: Best) -> None:
        near, other = self._near(block, leaders, bounds)
        best.offer(near.row, leaders[near.column], near.similarity)
        self._spare_numbers(block, best, leaders, bounds, other)

    def settle(self, block: Indices, best: Best, sketches: Vectors) -> None:
        """Row by row, lets a block follow the leaders within it, which this makes of those that follow no other."""
        bounds = sketches @ sketches.T
        (row, column, similarity), other = self._near(block, block, bounds)
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
        other = other[best.leader[other] < 0]
        if len(other):
            places = np.arange(len(block))
            before = (places[None] < places[:, None]) & (best.leader < 0)[None]  # later rows and followers lead none
            self._spare_numbers(block, best, block, np.where(before, bounds, np.float32(NOWHERE)), other)
        self.add(block[new], sketches[new])

    def _near(self, rows: Indices, columns: Indices, bounds: Vectors) -> tuple[_Near, Indices]:
        """Find all pairs at or above the threshold whose numbers agree, and the rows that may have others."""
        possible = np.flatnonzero(bounds.ravel() >= self._bound)
        row, column = np.divmod(possible, max(len(columns), 1))
        digits = self._units.digits
        allowed = digits[rows[row]] == digits[columns[column]]
        other = np.unique(row[~allowed])
        row, column = row[allowed], column[allowed]
        similarity = self._units.similarities(rows[row], columns[column])
        near = similarity >= self._threshold
        return _Near(row[near], column[near], similarity[near]), other

    def _spare_numbers(self, rows: Indices, best: Best, columns: Indices, bounds: Vectors, other: Indices) -> None:
        """Find out which rows would follow a leader, were it not for a number. One such leader is enough."""
        other = other[(best.leader[other] < 0) & (best.spared.similarity[other] == NOWHERE)]
        if not len(other):
            return
        digits = self._units.digits
        bounds = np.where(digits[rows[other]][:, None] != digits[columns][None], bounds[other], NOWHERE)
        for _ in range(_TRIES):
            column = bounds.argmax(axis=1)
            at = np.flatnonzero(bounds[np.arange(len(other)), column] >= self._bound)
            near = self._units.similarities(rows[other[at]], columns[column[at]]) >= self._threshold
            self._spare_by_number(best, other[at[near]], columns[column[at[near]]])
            bounds[at, column[at]] = NOWHERE
            other, bounds = other[at[~near]], bounds[at[~near]]
        at, column = np.nonzero(bounds >= self._bound)
        near = self._units.similarities(rows[other[at]], columns[column]) >= self._threshold
        found, first = np.unique(other[at[near]], return_index=True)
        self._spare_by_number(best, found, columns[column[near][first]])

    @staticmethod
    def _spare_by_number(best: Best, rows: Indices, leaders: Indices) -> None:
        best.spare(rows, np.full(len(rows), _NUMBER, np.int8), np.full(len(rows), BY_NUMBER), leaders)
