"""What the scores of right pairs look like here, seen from known translations that are put among the text.

If there are R right pairs in the text and they score like the known ones, R·S(t) of them lie at a threshold t or above,
S being the share of the known pairs that do. At the upper half of the known scores nearly nothing is wrong, so R can be
told there from what was found; further down, whatever is found beyond R·S(t) must be wrong.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..corpus import Languages, Pair
from ..errors import CorpusError
from ..model import Model
from ..neighbours.margin import Margin, margin_score
from ..neighbours.matching import Candidates, Scores, retrieve
from ..neighbours.nearest import BothWays, Neighbours, Rows, Vectors, look_through, nothing_yet
from ..thresholds import Calibration, Trust, calibrate
from ..thresholds.calibration import Numbers

FEWEST = 20
_FACTOR = 1.5  # the estimate may be that far off in the number of wrong pairs
_HIGH = 0.5  # share of the known pairs above the threshold that the number of right pairs is told at


def enough_known(known: list[Pair]) -> list[Pair]:
    """Those with two sides.

    Raises:
        CorpusError: they are too few.
    """
    filled = [pair for pair in known if all(side.strip() for side in pair)]
    if len(filled) < FEWEST:
        raise CorpusError(
            f"{len(filled)} known pairs are too few to calibrate on, {FEWEST} are the least",
            hint="some hundred are good",
        )
    return filled


def encode_known(
    model: Model, known: Sequence[Pair], languages: Languages | None, threads: int
) -> tuple[Vectors, Vectors]:
    source, target = (
        model.encode([pair[side] for pair in known], True, threads, languages[side] if languages else None)
        for side in (0, 1)
    )
    return source, target


def score_known(
    known: tuple[Vectors, Vectors], text: tuple[Rows, Rows], found: BothWays, margin: Margin, k: int, threads: int
) -> Numbers:
    """What each known pair scores among the text; −∞ where another sentence of the text comes first.

    `known` are the vectors of source and target, row by row; `found` are the neighbours in the text.
    """
    (source, target), (sources, targets) = known, text
    own = np.einsum("ij,ij->i", source, target).astype(np.float32)
    forward, backward = _among(source, targets, k, threads), _among(target, sources, k, threads)
    score = margin_score(own, _mean_with(forward, own, k), _mean_with(backward, own, k), margin)
    rivals = [
        _best_rival(forward, found.backward.mean_of(k), own, margin, k),
        _best_rival(backward, found.forward.mean_of(k), own, margin, k),
    ]
    beaten = np.maximum(*rivals) > score
    return np.where(beaten, -np.inf, score.astype(np.float64))


def calibrate_on_known(candidates: Candidates, known: Numbers, itself: Calibration | None = None) -> Calibration:
    """From the one-to-one pairs of the candidates, and the known pairs' scores.

    `itself` is the estimate from the text alone.

    Raises:
        CorpusError: most known pairs score below others of the same sentences, so they say nothing of what is right.
    """
    beaten = int(np.count_nonzero(np.isneginf(known)))
    if beaten > _HIGH * len(known):
        raise CorpusError(
            f"{beaten:,} of {len(known):,} known pairs are less alike than their sentences and others of the text",
            hint="are their two sides in the order of the piles, and does the model know both languages?",
        )
    observed = -np.sort(-retrieve(candidates, "max").score.astype(np.float64))
    falling = -np.sort(-known)
    high = falling[int(_HIGH * len(falling))]
    told = itself.at(high).precision if itself is not None and np.isfinite(high) else None
    precise = 1.0 if told is None else told
    share = float(_above(falling, high)) / len(falling)
    right = precise * float(_above(observed, high)) / share if share else 0.0

    def wrong(threshold: Numbers) -> Numbers:
        return _above(observed, threshold) - right * _above(falling, threshold) / len(falling)

    trust = Trust(factor=_FACTOR, spread=1 / np.sqrt(len(falling)))
    evidence = f"{len(falling):,} known pairs among the text"
    return calibrate(observed, wrong, evidence, existing=right, trust=trust)


def _above(falling: Numbers, threshold: Numbers | float) -> Numbers:
    count: Numbers = np.searchsorted(-falling, -np.asarray(threshold), side="right").astype(np.float64)
    return count


def _among(vectors: Vectors, others: Rows, k: int, threads: int) -> Neighbours:
    """The neighbours of known sentences among the other side's text."""
    place = nothing_yet(len(vectors), len(others), k)
    look_through(place, vectors, 0, others, threads)
    return place.forward


def _mean_with(neighbours: Neighbours, own: Scores, k: int) -> Scores:
    """The mean of the k best cosines if the known translation is one more candidate."""
    cosines = np.where(neighbours.index >= 0, neighbours.cosine, -np.inf)
    best = -np.sort(-np.column_stack([cosines, own]), axis=1)[:, :k]
    there = np.isfinite(best)
    mean: Scores = np.where(there, best, 0).sum(axis=1) / np.maximum(there.sum(axis=1), 1).astype(np.float32)
    return mean


def _best_rival(neighbours: Neighbours, means: Scores, own: Scores, margin: Margin, k: int) -> Scores:
    """The best score with a sentence of the text. One as near as the known translation is the same, and no rival."""
    of_others = means[neighbours.index] if means.size else np.zeros_like(neighbours.cosine)
    scores = margin_score(neighbours.cosine, _mean_with(neighbours, own, k)[:, None], of_others, margin)
    rival = (neighbours.index >= 0) & (np.abs(neighbours.cosine - own[:, None]) > 1e-5)
    best: Scores = np.where(rival, scores, -np.inf).max(axis=1, initial=-np.inf)
    return best
