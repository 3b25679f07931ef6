"""How many of the pairs above each threshold are right, if we know how many wrong ones to expect there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[np.float64]

_CLOSE = 1000  # places where every threshold counts


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

    The lower the score, the less likely is a pair to be right: where the numbers say otherwise, by chance, they are
    averaged until they do not. Of many thresholds only some thousand are looked at, closer together at the top.
    """
    threshold, counts = np.unique(np.asarray(scores, np.float64), return_counts=True)
    threshold, kept = threshold[::-1], np.cumsum(counts[::-1]).astype(np.float64)
    some = _spread(len(threshold))
    threshold, kept = threshold[some], kept[some]
    right = _concave(kept, kept - expected_wrong(threshold)) if len(kept) else kept
    recall = right / right[-1] if len(right) and right[-1] else np.zeros_like(right)
    return Calibration(threshold, kept, right / kept, recall, evidence)


def _spread(count: int) -> npt.NDArray[np.int64]:
    """All of the first places, then fewer and fewer, and the last."""
    if count <= _CLOSE:
        return np.arange(count)
    return np.unique(np.append(np.arange(_CLOSE), np.geomspace(_CLOSE, count, _CLOSE).astype(np.int64) - 1))


def _concave(kept: Numbers, right: Numbers) -> Numbers:
    """The lowest curve above `right` that rises ever more slowly: by 1 a pair at the most, and never falls."""
    corners = [(0.0, 0.0)]
    for point in zip(kept.tolist(), right.tolist(), strict=True):
        while len(corners) > 1 and _slope(corners[-2], corners[-1]) <= _slope(corners[-1], point):
            corners.pop()
        corners.append(point)
    at, value = (np.array(each) for each in zip(*corners, strict=True))
    rises = np.clip(np.diff(value) / np.diff(at), 0, 1) * np.diff(at)
    curve: Numbers = np.interp(kept, at, np.append(0.0, np.cumsum(rises)))
    return curve


def _slope(one: tuple[float, float], two: tuple[float, float]) -> float:
    return (two[1] - one[1]) / (two[0] - one[0])
