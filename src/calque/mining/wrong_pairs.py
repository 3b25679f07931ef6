"""How many of the pairs above a threshold are wrong, seen from the text itself.

Take the matched pairs away and match what is left, twice: second and third choices are wrong pairs, but they score less
than a wrong first choice would. By how much less follows from how far the third lie below the second: of the largest of
many numbers whose tail falls exponentially, the gap from the first to the second is on average twice that from the
second to the third (Rényi 1953). A sentence whose translation was there has lost it by the second choice, so its second
choice is a wrong first one already; the more such sentences there are, the less is to be added.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..neighbours.matching import Candidates, retrieve
from ..thresholds import Calibration, calibrate
from ..thresholds.calibration import Numbers

FEWEST = 50  # matched pairs: with less, tails are guesses
_FIRST_GAP = 2.0  # in gaps from the second to the third
_TAIL = (0.002, 0.05)  # shares of the pairs from which the tail beyond is drawn as exponential
_EVIDENCE = "second and third choices in the text itself"


@dataclass(frozen=True)
class WrongScores:
    """The distribution of the scores of wrong pairs: falling quantiles, and a tail that falls exponentially."""

    share: Numbers  # of wrong pairs that score `score` or more, rising
    score: Numbers
    decay: float
    begin: float  # the tail's line would be 1 there
    cut: int  # the tail is above score[cut]

    def above(self, threshold: Numbers) -> Numbers:
        """The share of wrong pairs that score as much or more."""
        inside = np.interp(-threshold, -self.score, self.share)
        tail = np.exp(-(threshold - self.begin) / self.decay)
        return np.where(threshold > self.score[self.cut], np.minimum(tail, self.share[self.cut]), inside)


def calibrate_on_itself(candidates: Candidates) -> Calibration | None:
    """From the one-to-one pairs of the candidates, or None if they are too few to say anything."""
    first, second, third = _choices(candidates)
    if len(third) < FEWEST:
        return None
    translatable = 0.0
    for _ in range(2):  # how many are right must be known roughly to know it better
        wrong = _wrong_scores(second, third, _FIRST_GAP - translatable)
        count = len(first) * (1 - translatable)
        calibration = calibrate(first, _expected(wrong, count), _EVIDENCE)
        translatable = float(calibration.precision[-1])
    return calibration


def _expected(wrong: WrongScores, count: float) -> Callable[[Numbers], Numbers]:
    return lambda threshold: count * wrong.above(threshold)


def _choices(candidates: Candidates) -> list[Numbers]:
    """The scores of first, second and third choices, each from the best on."""
    scores = []
    for _ in range(3):
        matches = retrieve(candidates, "max")
        scores.append(matches.score.astype(np.float64))
        candidates = candidates.without(matches)
    return scores


def _wrong_scores(second: Numbers, third: Numbers, gaps: float) -> WrongScores:
    share = (np.arange(len(second)) + 0.5) / len(second)
    beyond = np.interp(share, (np.arange(len(third)) + 0.5) / len(third), third)
    score = np.sort(second + gaps * (second - beyond))[::-1]
    cut, end = int(_TAIL[0] * len(score)) + 1, max(int(_TAIL[1] * len(score)), 10)
    decay, begin = np.polyfit(-np.log(share[cut:end]), score[cut:end], 1)
    return WrongScores(share, score, max(float(decay), 1e-9), float(begin), cut)
