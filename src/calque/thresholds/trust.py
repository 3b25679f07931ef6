"""How far an estimate can be believed: where it must not be told at all, and a range around it where it may."""

from __future__ import annotations

from math import inf, sqrt
from typing import NamedTuple

ALIKE = "right and wrong pairs score too much alike"  # a reason to tell nothing


class Range(NamedTuple):
    low: float
    high: float

    @property
    def width(self) -> float:
        return self.high - self.low


class Trust(NamedTuple):
    """Conditions under which an estimate is told, and how wrong it may be.

    `factor`, `fewer` and `spread` come from measurements on piles whose right answers are known
    (docs/results/estimates.md).
    """

    precision_from: float = -inf  # the lowest threshold at which precision is told
    recall: bool = True
    doubt: str = ""  # the reason, if one of the two is not told
    narrow: float = inf  # a wider range of precision is told without the number inside it
    telling: float = inf  # a wider one says nothing and is not told
    factor: float = 1.0  # the true number of wrong pairs is at most this many times the estimated one
    fewer: float = 1.0  # and at least the estimated one divided by this
    loose: float = 0.0  # share of pairs that look wrong and may be loose translations
    spread: float = 0.0  # the true recall is at most this far away

    @classmethod
    def none(cls, doubt: str) -> Trust:
        return cls(precision_from=inf, recall=False, doubt=doubt)


def precision_range(precision: float, kept: float, trust: Trust) -> Range:
    wrong, chance = 1 - precision, _chance(precision, kept)
    fewest = max(wrong - trust.loose, 0.0) / trust.fewer
    return _range(1 - wrong * trust.factor - chance, 1 - fewest + chance)


def recall_range(recall: float, existing: float, trust: Trust) -> Range:
    by = trust.spread + _chance(recall, existing)
    return _range(recall - by, recall + by)


def _chance(share: float, n: float) -> float:
    """Half of a 95 % interval of a share of n, never zero: an observed 0 or 1 is not certain either."""
    smoothed = (share * n + 1) / (n + 2)
    return 2 * sqrt(smoothed * (1 - smoothed) / (n + 2))


def _range(low: float, high: float) -> Range:
    return Range(min(max(low, 0.0), 1.0), min(max(high, 0.0), 1.0))
