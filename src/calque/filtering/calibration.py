"""What to expect of each threshold, estimated from the scores and lengths of unjudged pairs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from ..corpus import Pair
from ..errors import CorpusError
from ..model.familiarity import tier_of_text
from ..thresholds import ALIKE, Calibration, Trust, calibrate
from .evidence import Evidence
from .lengths import length_ratios
from .negatives import negatives
from .scores import Score, Scores
from .shares import Seen, shares_of

FEWEST = 200  # pairs: fewer say too little of how a corpus scores
KINDS = ("unrelated", "halved")
SPOILT = "copied or in another language"

# How far the estimate may be off, measured by benchmarks/estimates.py.
_TRUST = Trust(factor=1.6, fewer=1.6, loose=0.05, spread=0.06, narrow=0.2)
_TRUST_OF_WEAK = _TRUST._replace(factor=2.0, fewer=2.0, spread=0.08)
_MOST_UNRELATED = 0.95  # quantile of unrelated pairs' scores that most right pairs have to exceed
_SEPARATE = 0.8  # certainty of right pairs, for recall to be told


@dataclass(frozen=True)
class Estimate:
    """A calibration, and the share of all pairs that each kind of wrong pair is estimated to have."""

    calibration: Calibration
    shares: dict[str, float]


def estimate(
    score: Score, observed: Scores, evidence: Evidence, right: Sequence[Pair] | None = None
) -> Estimate | None:
    """Return None if there are too few pairs.

    `observed` are the scores of all pairs that rules accept, or of many; `right` are pairs known to be translations.
    """
    sample = evidence.pairs
    if min(len(observed), len(sample)) < FEWEST or (right is not None and len(right) < FEWEST):
        return None
    own = _seen(score, sample)
    wrong = [_seen(score, kind) for kind in negatives(sample, own.scores)]
    known = None if right is None else _seen(score, right)
    if known is not None:
        _require_right(known, wrong[0])
    shares = shares_of(wrong, own, known) * (1 - evidence.share_spoilt)
    kinds = [(name, float(share), kind.scores) for name, share, kind in zip(KINDS, shares, wrong, strict=True)]
    if evidence.spoilt:
        kinds.append((SPOILT, evidence.share_spoilt, score.score(evidence.spoilt)))
    told = "the lengths of the best" if right is None else f"{len(right):,} right ones"

    def expected_wrong(thresholds: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        return len(observed) * sum(
            (share * _above(scores, thresholds) for _, share, scores in kinds), np.zeros(len(thresholds))
        )

    source = f"wrong pairs made from the corpus, and {told}"
    curve = calibrate(observed, expected_wrong, source, trust=_trust(score, evidence))
    if curve.certainty < _SEPARATE:
        curve = replace(curve, trust=curve.trust._replace(recall=False, doubt=curve.trust.doubt or ALIKE))
    return Estimate(curve, {name: share for name, share, _ in kinds})


def _require_right(known: Seen, unrelated: Seen) -> None:
    """
    Raises:
        CorpusError: the pairs known to be right score like unrelated ones.
    """
    if np.median(known.scores) <= np.quantile(unrelated.scores, _MOST_UNRELATED):
        raise CorpusError(
            "most of the pairs known to be right score no higher than unrelated ones",
            hint="are the lines of the calibration's two sides shifted or shuffled against each other?",
        )


def _seen(score: Score, pairs: Sequence[Pair]) -> Seen:
    return Seen(score.score(pairs), length_ratios(pairs))


def _trust(score: Score, evidence: Evidence) -> Trust:
    """Trust a model that knows both languages; one that was not trained on them finds too few of the halves."""
    if evidence.doubt:
        return Trust.none(evidence.doubt)
    languages = evidence.languages or score.languages
    tiers = {language: tier_of_text(score.model, language) for language in languages if language}
    for language, tier in tiers.items():
        if tier == "unknown":
            return Trust.none(f"the model was not trained on {language}")
    return _TRUST_OF_WEAK if "weak" in tiers.values() else _TRUST


def _above(kind: Scores, thresholds: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """The share of a kind of pair that scores as much or more."""
    below = np.searchsorted(np.sort(kind.astype(np.float64)), thresholds, side="left")
    return 1 - below / len(kind)
