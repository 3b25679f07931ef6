"""What to expect of each threshold, from scores of pairs that nobody has judged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..corpus import Pair
from ..thresholds import Calibration, calibrate
from .negatives import negatives
from .scores import Score, Scores
from .shares import shares_of

FEWEST = 200  # pairs: fewer say too little of how a corpus scores
KINDS = ("unrelated", "halved")


@dataclass(frozen=True)
class Estimate:
    """A calibration, and the share of all pairs that each kind of wrong pair is estimated to have."""

    calibration: Calibration
    shares: dict[str, float]


def estimate(
    score: Score, observed: Scores, sample: Sequence[Pair], right: Sequence[Pair] | None = None
) -> Estimate | None:
    """None if there are too few pairs for it. `right` are pairs known to be translations."""
    if min(len(observed), len(sample)) < FEWEST or (right is not None and len(right) < FEWEST):
        return None
    wrong = negatives(score, sample)
    known = None if right is None else score.score(right)
    shares = shares_of(wrong, observed, known)
    told = "how right ones seem to score" if right is None else f"{len(right):,} right ones"
    evidence = f"wrong pairs made from the corpus, and {told}"

    def expected_wrong(thresholds: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        return len(observed) * sum(
            (share * _above(kind, thresholds) for share, kind in zip(shares, wrong, strict=True)),
            np.zeros(len(thresholds)),
        )

    named = dict(zip(KINDS, map(float, shares), strict=False))
    return Estimate(calibrate(observed, expected_wrong, evidence), named)


def _above(kind: Scores, thresholds: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """The share of a kind of pair that scores as much or more."""
    below = np.searchsorted(np.sort(kind.astype(np.float64)), thresholds, side="left")
    return 1 - below / len(kind)
