"""Precision and recall over the threshold, estimated from the two piles alone, and whether that can be done."""

from __future__ import annotations

from dataclasses import replace
from math import inf

import numpy as np

from ..neighbours import Margin
from ..neighbours.matching import Candidates, Scores, retrieve
from ..thresholds import ALIKE, Calibration, Trust, calibrate
from ..thresholds.calibration import Numbers
from .gaps import gaps_of
from .known_pairs import Known
from .mixture import fit

JUDGE: Margin = "distance"
FEWEST = 50  # sentences: fewer say nothing about gaps

# Where precision and recall are told, and how far they may be off: measured by benchmarks/estimates.py.
_SURE = 0.8  # mean certainty of the pairs above a threshold, for their precision to be told
_SEPARATE = 0.85  # mean certainty of all right pairs, for recall to be told
_FEWEST_RIGHT = 25.0
_FEWEST_TRANSLATED = 0.1  # share of the sentences, for recall: where there are fewer, weak translations are not seen
_BOUNDS = Trust(factor=2.0, fewer=3.0, spread=0.06, narrow=0.2, telling=0.5)
_EVIDENCE = "how far each sentence's best candidate stands out from the next"
_FEW = "too few pairs look like translations"
_RARE = "few sentences have a translation, and those that score low cannot be told from chance neighbours"


def estimate(
    candidates: Candidates, judged: Candidates, doubt: str = "", known: Known | None = None
) -> Calibration | None:
    """Return the curve of the one-to-one pairs, or None if there are too few sentences for one.

    `judged` are the same neighbours scored by their distance margin, whose gaps within a sentence's list are those of
    its cosines. With a `doubt`, such as a language that the model hardly knows, thresholds are chosen but nothing is
    promised. With `known` translations, recall is always told, and precision wherever scores are separate enough.
    """
    gaps = gaps_of(_smaller(judged))
    if len(gaps) < FEWEST:
        return None
    mixture = fit(gaps, None if known is None else known.distance)
    right = np.concatenate([mixture.right(part) for part in gaps.parts()])
    distance, found = _counted(gaps.best[:, 0], right)
    score, found_by_score = _counted(
        *_of_best(_smaller(candidates)[gaps.sentence], _smaller(judged)[gaps.sentence], right)
    )
    observed = -np.sort(-retrieve(candidates, "max").score.astype(np.float64))

    def wrong(threshold: Numbers) -> Numbers:
        return _at(observed, np.arange(1.0, len(observed) + 1), threshold) - _at(score, found_by_score, threshold)

    if known is not None:
        trust = _trust(score, found_by_score, mixture.share)._replace(
            recall=True, spread=float(1 / np.sqrt(len(known)))
        )
        calibration = calibrate(observed, wrong, f"{len(known):,} known pairs among the text", trust=trust)
        return replace(calibration, recall=known.recall(calibration.threshold))
    trust = Trust.none(doubt) if doubt else _trust(score, found_by_score, mixture.share)
    calibration = calibrate(observed, wrong, _EVIDENCE, trust=trust)
    if not trust.recall:
        return calibration
    # Recall of the translations that exist: the normal distribution knows of those that come second or lower.
    places = np.interp(calibration.precision * calibration.kept, found, distance)
    return replace(calibration, recall=np.array([mixture.reached(float(place)) for place in places]))


def _smaller(candidates: Candidates) -> Scores:
    """The smaller side's scores: the share of translations among its sentences is larger."""
    forward, backward = candidates.forward_score, candidates.backward_score
    return forward if len(forward) <= len(backward) else backward


def _of_best(scores: Scores, judged: Scores, right: Numbers) -> tuple[Numbers, Numbers]:
    """Each sentence's best score, and how likely it is a translation's: 0 where the judge prefers another candidate."""
    best = scores.argmax(axis=1)
    right = np.where(best == judged.argmax(axis=1), right, 0.0)
    return scores[np.arange(len(scores)), best].astype(np.float64), right


def _counted(score: Numbers, right: Numbers) -> tuple[Numbers, Numbers]:
    """Falling scores, and how many right pairs there are down to each."""
    order = np.argsort(-score, kind="stable")
    return score[order], np.cumsum(right[order])


def _at(falling: Numbers, count: Numbers, threshold: Numbers) -> Numbers:
    place = np.searchsorted(-falling, -threshold, side="right")
    found: Numbers = np.where(place > 0, count[np.maximum(place, 1) - 1], 0.0)
    return found


def _trust(score: Numbers, found: Numbers, share: float) -> Trust:
    """The conditions under which the curve of right pairs `found` down to each falling `score` may be told."""
    nothing = _BOUNDS._replace(precision_from=inf, recall=False, doubt=_FEW)
    if found[-1] < _FEWEST_RIGHT:
        return nothing
    squares = np.cumsum(np.diff(found, prepend=0.0) ** 2)
    certainty = squares / np.maximum(found, 1e-9)
    sure = np.flatnonzero((certainty >= _SURE) & (found >= _FEWEST_RIGHT))
    if not len(sure):
        return nothing._replace(doubt=ALIKE)
    separate = bool(certainty[-1] >= _SEPARATE)
    return _BOUNDS._replace(
        precision_from=float(score[sure[-1]]),
        recall=separate and share >= _FEWEST_TRANSLATED,
        doubt=_RARE if separate and share < _FEWEST_TRANSLATED else ALIKE,
    )
