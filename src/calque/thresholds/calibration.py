"""How many of the pairs above each threshold are right, if we know how many wrong ones to expect there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[np.float64]


class Choice(NamedTuple):
    """A threshold and what is to be expected of it, as shares of 1."""

    threshold: float
    kept: int
    precision: float
    recall: float
    f1: float


@dataclass(frozen=True)
class Calibration:
    """The curve over all thresholds, from the highest on; recall is of the right pairs among the candidates."""

    threshold: Numbers
    kept: Numbers  # pairs that score as much or more
    precision: Numbers
    recall: Numbers
    evidence: str  # what it was estimated from, in a few words

    @property
    def f1(self) -> Numbers:
        total = self.precision + self.recall
        return np.divide(2 * self.precision * self.recall, total, out=np.zeros_like(total), where=total > 0)

    def best(self) -> Choice:
        """The threshold of the highest F1, the highest of equals; infinite if nothing seems to be right."""
        if not len(self.threshold) or not self.f1.max():
            return Choice(float("inf"), 0, 0.0, 0.0, 0.0)
        return self._at(int(self.f1.argmax()))

    def at_precision(self, least: float) -> Choice | None:
        """The lowest threshold down to which precision does not fall below `least`, if there is one."""
        below = np.flatnonzero(self.precision < least)
        last = (int(below[0]) if len(below) else len(self.precision)) - 1
        return self._at(last) if last >= 0 else None

    def at(self, threshold: float) -> Choice:
        """What to expect of some threshold."""
        last = int(np.searchsorted(-self.threshold, -threshold, side="right")) - 1
        if last < 0:
            return Choice(threshold, 0, 0.0, 0.0, 0.0)
        return self._at(last)._replace(threshold=threshold)

    def _at(self, place: int) -> Choice:
        values = (self.threshold, self.kept, self.precision, self.recall, self.f1)
        threshold, kept, *shares = (float(each[place]) for each in values)
        return Choice(threshold, round(kept), *shares)

    def as_dict(self) -> dict[str, Any]:
        return {"evidence": self.evidence, "best": self.best()._asdict()}


def calibrate(
    scores: npt.NDArray[np.floating[Any]], expected_wrong: Callable[[Numbers], Numbers], evidence: str
) -> Calibration:
    """`expected_wrong` tells how many wrong pairs are to be expected at each of some falling thresholds or above.

    Precision is made to fall with the threshold, as it does but for chance: at each it is the best of any threshold
    that is as low or lower, as q-values have it, since the few pairs at the top say least.
    """
    threshold, counts = np.unique(np.asarray(scores, np.float64), return_counts=True)
    threshold, kept = threshold[::-1], np.cumsum(counts[::-1]).astype(np.float64)
    wrong = np.minimum(np.maximum(expected_wrong(threshold), 0), kept)
    right = np.maximum.accumulate(kept - wrong) if len(kept) else kept
    right = np.minimum(right, kept)
    precision = np.maximum.accumulate((right / kept)[::-1])[::-1] if len(kept) else kept
    recall = right / right[-1] if len(right) and right[-1] else np.zeros_like(right)
    return Calibration(threshold, kept, precision, recall, evidence)
