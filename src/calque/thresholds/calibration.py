"""Precision and recall over the threshold, from an estimate of how many wrong pairs lie above each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from .trust import Range, Trust, precision_range, recall_range

Numbers = npt.NDArray[np.float64]

_CLOSE = 1000  # places where every threshold counts


class Choice(NamedTuple):
    """A threshold and its expected outcome, as shares of 1.

    A share is None if it cannot be estimated. Where its range is wide, the range is all that can be told.
    """

    threshold: float
    kept: int
    precision: float | None
    recall: float | None
    precision_range: Range | None = None
    recall_range: Range | None = None

    @property
    def is_told(self) -> bool:
        """True if both shares are told, as numbers or at least as ranges."""
        return None not in (self.precision_range, self.recall_range)

    @property
    def f1(self) -> float | None:
        if self.precision is None or self.recall is None:
            return None
        total = self.precision + self.recall
        return 2 * self.precision * self.recall / total if total else 0.0

    def as_dict(self) -> dict[str, Any]:
        return self._asdict() | {"f1": self.f1}


@dataclass(frozen=True)
class Calibration:
    """The curve over all thresholds, from the highest on; recall is of the right pairs that exist."""

    threshold: Numbers
    kept: Numbers  # pairs that score as much or more
    precision: Numbers
    recall: Numbers
    evidence: str  # the source of the estimate, in a few words
    trust: Trust = field(default_factory=Trust)

    @property
    def f1(self) -> Numbers:
        total = self.precision + self.recall
        return np.divide(2 * self.precision * self.recall, total, out=np.zeros_like(total), where=total > 0)

    @property
    def certainty(self) -> float:
        """Mean probability that a right pair is right: 1 if right and wrong scores lie apart."""
        found = np.diff(self.precision * self.kept, prepend=0.0)
        sure = found / np.diff(self.kept, prepend=0.0)
        return float((found * sure).sum() / max(found.sum(), 1e-9))

    def best(self) -> Choice:
        """The threshold of the highest F1, the highest of equals; infinite if nothing seems to be right."""
        if not len(self.threshold) or not self.f1.max():
            return Choice(float("inf"), 0, 0.0, 0.0)
        place = int(self.f1.argmax())
        return self._at(place, float(self.threshold[place]))

    def at(self, threshold: float) -> Choice:
        """The expected outcome of any threshold."""
        last = self._last(threshold)
        return self._at(last, threshold) if last >= 0 else Choice(threshold, 0, 0.0, 0.0)

    def wrong_left(self, threshold: float) -> float:
        """The share of all wrong pairs that a threshold keeps."""
        wrong = self.kept * (1 - self.precision)
        last = self._last(threshold)
        return float(wrong[last] / wrong[-1]) if last >= 0 and wrong[-1] > 0 else 0.0

    def _last(self, threshold: float) -> int:
        return int(np.searchsorted(-self.threshold, -threshold, side="right")) - 1

    def _at(self, place: int, threshold: float) -> Choice:
        kept, precision, recall = (float(each[place]) for each in (self.kept, self.precision, self.recall))
        choice = Choice(threshold, round(kept), None, None)
        around = precision_range(precision, kept, self.trust)
        if threshold >= self.trust.precision_from and around.width <= self.trust.telling:
            told = precision if around.width <= self.trust.narrow else None
            choice = choice._replace(precision=told, precision_range=around)
        if self.trust.recall:
            existing = precision * kept / max(recall, 1e-9)
            choice = choice._replace(recall=recall, recall_range=recall_range(recall, existing, self.trust))
        return choice

    def as_dict(self) -> dict[str, Any]:
        return {"evidence": self.evidence, "best": self.best().as_dict(), "doubt": self.trust.doubt}


def calibrate(
    scores: npt.NDArray[np.floating[Any]],
    expected_wrong: Callable[[Numbers], Numbers],
    evidence: str,
    *,
    existing: float | None = None,
    trust: Trust | None = None,
) -> Calibration:
    """Return the curve for pairs with these scores.

    The lower the score, the less likely is a pair to be right: where the numbers say otherwise, by chance, they are
    averaged until they do not. Of many thresholds only some thousand are looked at, closer together at the top.

    Args:
        scores: One for each candidate pair.
        expected_wrong: Gives the number of wrong pairs to expect at each of some falling thresholds or above.
        evidence: The source of these numbers, in a few words.
        existing: The number of right pairs that there are, found or not; all that were found, unless given.
        trust: How far the result can be believed.
    """
    threshold, counts = np.unique(np.asarray(scores, np.float64), return_counts=True)
    threshold, kept = threshold[::-1], np.cumsum(counts[::-1]).astype(np.float64)
    some = _spread(len(threshold))
    threshold, kept = threshold[some], kept[some]
    right = _concave(kept, kept - expected_wrong(threshold)) if len(kept) else kept
    total = max(existing or 0.0, float(right[-1]) if len(right) else 0.0)
    recall = right / total if total else np.zeros_like(right)
    return Calibration(threshold, kept, right / kept, recall, evidence, trust or Trust())


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
