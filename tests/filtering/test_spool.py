"""Verdicts come back as they were put in, however few bytes the system gives at a time."""

from __future__ import annotations

import io

import numpy as np

from calque.corpus.cleaning.clean import NO_OBJECTION
from calque.filtering.spool import Spool


class Grudging(io.BytesIO):
    """Gives seven bytes at the most, as a file may that is read without a buffer."""

    def read(self, size: int | None = -1, /) -> bytes:
        return super().read(min(7, size or 0))


def test_verdicts_are_whole_though_reads_are_not() -> None:
    spool = Spool(Grudging())
    scores = np.array([0.5, 0.25, -1], np.float32)
    spool.add(np.array([NO_OBJECTION, 3, NO_OBJECTION, NO_OBJECTION], np.int16), scores)
    spool.rewind()
    assert spool.take(4)["objection"].tolist() == [NO_OBJECTION, 3, NO_OBJECTION, NO_OBJECTION]
    assert len(spool.take(4)) == 0
    assert np.concatenate(list(spool.scores())).tolist() == scores.tolist()
