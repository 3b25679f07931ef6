"""Groups of duplicates, with the evidence."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from .contrast import REASONS, Codes, Reason
from .store import Row, Store
from .units import Indices

_MEMBERS = 1 << 12  # lines whose texts are in memory at once, and those of one group

Similar = Callable[[list[Row], list[Row]], npt.NDArray[np.float32]]


class Line(NamedTuple):
    """Line 0 is the first one."""

    line: int
    texts: Row
    similarity: float  # to the line that is kept; of a pair, the smaller one of both sides
    same: bool  # it has the same letters and digits


class Group(NamedTuple):
    kept: Line
    dropped: list[Line]


class Spared(NamedTuple):
    """A line that stays although it is near to another, and why."""

    reason: Reason
    line: Line
    beside: Line


@dataclass(frozen=True)
class Duplicates:
    """leader[i] is the line that is kept for line i: itself, unless it is to be dropped."""

    leader: Indices
    same: npt.NDArray[np.bool_]  # dropped, and has the same letters and digits
    reason: Codes  # kept although it is near to another line; 0 of all others
    beside: Indices  # that line

    @property
    def kept(self) -> Indices:
        """The lines to keep, in their order."""
        return np.flatnonzero(self.leader == np.arange(len(self.leader)))

    @property
    def dropped(self) -> Indices:
        return np.flatnonzero(self.leader != np.arange(len(self.leader)))

    def counts(self) -> dict[Reason, int]:
        """Count the lines that stay although they are near to another, by reason."""
        counted = np.bincount(self.reason, minlength=len(REASONS) + 1)[1:].tolist()
        return dict(zip(REASONS, counted, strict=True))

    def spared(self, store: Store, similar: Similar, most: int) -> list[Spared]:
        """Return the first lines that were spared, up to so many for each reason."""
        lines = np.concatenate([np.flatnonzero(self.reason == code)[:most] for code in range(1, len(REASONS) + 1)])
        others = self.beside[lines]
        texts, beside = list(store.rows(lines)), list(store.rows(others))
        return [
            Spared(REASONS[self.reason[line] - 1], Line(line, text, cosine, False), Line(other, near, 1.0, False))
            for line, other, text, near, cosine in zip(
                lines.tolist(), others.tolist(), texts, beside, similar(beside, texts).tolist(), strict=True
            )
        ]

    def groups(self, store: Store, similar: Similar) -> Iterator[Group]:
        """In the order of the lines that are kept; similarities are worked out again, from the very lines shown."""
        dropped = self.dropped
        dropped = dropped[np.argsort(self.leader[dropped], kind="stable")]
        leaders, begins, counts = np.unique(self.leader[dropped], return_index=True, return_counts=True)
        ends = begins + counts
        for first, last in _runs(ends):
            members = dropped[begins[first] : ends[last - 1]]
            heads = dict(zip(leaders[first:last].tolist(), store.rows(leaders[first:last]), strict=True))
            texts = list(store.rows(members))
            cosines = similar([heads[int(at)] for at in self.leader[members]], texts)
            lines = iter(zip(members.tolist(), texts, cosines.tolist(), self.same[members].tolist(), strict=True))
            for group in range(first, last):
                head = int(leaders[group])
                followers = [Line(*each) for each in islice(lines, int(counts[group]))]
                yield Group(Line(head, heads[head], 1.0, False), followers)


def _runs(ends: Indices) -> Iterator[tuple[int, int]]:
    """Groups that together have some thousand members, or one that has more."""
    first = 0
    while first < len(ends):
        begin = int(ends[first - 1]) if first else 0
        last = max(int(np.searchsorted(ends, begin + _MEMBERS, side="right")), first + 1)
        yield first, last
        first = last
