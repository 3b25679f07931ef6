"""The nearest leader of each unit of a block, among those that say nothing else."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from .contrast import Codes, Contrast
from .units import Indices, Units

Similarities = npt.NDArray[np.float32]

NOWHERE = -2  # below any cosine
BY_NUMBER = np.float32(-1.5)  # below any cosine, too: where both tell a unit from leaders, a reason in words goes first


class SparedUnits(NamedTuple):
    """Near leaders that some units do not follow, because something tells them apart; −1 where there is none."""

    reason: Codes
    similarity: Similarities
    beside: Indices

    def put(self, places: Indices, others: SparedUnits, chosen: Indices | slice = slice(None)) -> None:
        """Copy those chosen of others to some places."""
        self.reason[places] = others.reason[chosen]
        self.similarity[places] = others.similarity[chosen]
        self.beside[places] = others.beside[chosen]


def none_spared(count: int) -> SparedUnits:
    return SparedUnits(np.zeros(count, np.int8), np.full(count, NOWHERE, np.float32), np.full(count, -1, np.int64))


class Best:
    """For each row of a block, the nearest leader so far; of equals, the earlier."""

    def __init__(self, units: Units, block: Indices, contrast: Contrast | None) -> None:
        self._units, self._block, self._contrast = units, block, contrast
        self.leader = np.full(len(block), -1, np.int64)
        self.similarity = np.full(len(block), NOWHERE, np.float32)
        self.spared = none_spared(len(block))

    def offer(self, rows: Indices, leaders: Indices, similarity: Similarities) -> None:
        """Take each row's nearest that is not told apart; texts are read only of pairs that would count."""
        if not len(rows):
            return
        nearer = similarity > self.similarity[rows]
        rows, leaders, similarity = rows[nearer], leaders[nearer], similarity[nearer]
        order = np.lexsort((np.arange(len(rows)), -similarity, rows))  # each row's best comes first
        rows, leaders, similarity = rows[order], leaders[order], similarity[order]
        while len(rows):
            first = np.diff(rows, prepend=-1) > 0
            reasons = self._reasons(rows[first], leaders[first])
            same, apart = (np.flatnonzero(first)[which] for which in (reasons == 0, reasons > 0))
            self.leader[rows[same]], self.similarity[rows[same]] = leaders[same], similarity[same]
            self.spare(rows[apart], reasons[reasons > 0], similarity[apart], leaders[apart])
            again = np.isin(rows, rows[apart]) & ~first
            rows, leaders, similarity = rows[again], leaders[again], similarity[again]

    def spare(self, rows: Indices, reasons: Codes, similarity: Similarities, leaders: Indices) -> None:
        """Remember the nearest leader that something tells a row from; of equals, the earlier."""
        nearer = similarity > self.spared.similarity[rows]
        rows = rows[nearer]
        self.spared.reason[rows], self.spared.similarity[rows] = reasons[nearer], similarity[nearer]
        self.spared.beside[rows] = leaders[nearer]

    def _reasons(self, rows: Indices, leaders: Indices) -> Codes:
        if self._contrast is None or self._units.texts is None:
            return np.zeros(len(rows), np.int8)
        return self._contrast.codes(self._units.texts(self._block[rows]), self._units.texts(leaders))
