"""Rules first, then the score: a verdict on each pair of a batch."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..corpus import Languages, Pair
from ..corpus.cleaning import Cleaning, Counted, Report
from ..corpus.cleaning.clean import NO_OBJECTION, first_objections, forgotten, prepared
from ..corpus.cleaning.measures import Batch
from ..threads import resolve_threads
from .scores import Score, Scores
from .spool import Objections


class Verdict(NamedTuple):
    objections: Objections  # the place of the rule that dropped the pair, or NO_OBJECTION
    scores: Scores  # of the others


class Judge:
    """Its report counts what the rules do."""

    def __init__(self, cleaning: Cleaning, score: Score, languages: Languages | None, threads: int | None) -> None:
        self.score = score
        self.report = Report(skipped=dict(cleaning.skipped), dropped={rule.name: Counted() for rule in cleaning.rules})
        self._cleaning = cleaning
        self._languages = languages
        self._threads = resolve_threads(threads)

    def judge(self, pairs: list[Pair]) -> Verdict:
        batch = self._mended(pairs, self.report)
        objections = first_objections(batch, self._cleaning.rules)
        for place in np.unique(objections[objections != NO_OBJECTION]):
            dropped = [batch.pairs[at] for at in np.flatnonzero(objections == place)]
            self.report.dropped[self.reason(place)].add(dropped)
        left = [batch.pairs[at] for at in np.flatnonzero(objections == NO_OBJECTION)]
        self.report.read += len(pairs)
        self.report.kept += len(left)
        self.report.forgotten = forgotten(self._cleaning.rules)
        return Verdict(objections, self.score.score(left))

    def again(self, pairs: list[Pair]) -> list[Pair]:
        """The pairs as they were judged: mended, if that is to be done."""
        return self._mended(pairs, Report()).pairs

    def reason(self, place: int) -> str:
        return self._cleaning.rules[place].name

    def _mended(self, pairs: list[Pair], report: Report) -> Batch:
        return prepared(Batch(pairs, self._languages, self._threads), self._cleaning, report)
