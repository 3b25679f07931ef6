"""Known translations, scored as if they stood among the text: they tell how right pairs score there.

So their mean and deviation need not be found in the text, and recall is the share of them that would have been found.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..corpus import Languages, Pair
from ..errors import CorpusError
from ..model import Model
from ..neighbours.margin import Margin, margin_score
from ..neighbours.matching import Scores
from ..neighbours.nearest import BothWays, Neighbours, Rows, Vectors, look_through, nothing_yet
from ..thresholds.calibration import Numbers

FEWEST = 20
_MOST_BEATEN = 0.95


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


@dataclass(frozen=True)
class Known:
    """Known translations scored as if they stood in the text."""

    distance: Numbers  # their distance margins
    score: Numbers  # by the margin that was chosen; −∞ where another sentence of the text comes first

    def __len__(self) -> int:
        return len(self.score)

    def recall(self, threshold: Numbers) -> Numbers:
        """The share of all translations, found or not, that score as much or more."""
        falling = -np.sort(-self.score)
        share: Numbers = np.searchsorted(-falling, -threshold, side="right") / len(falling)
        return share


def score_known(
    known: tuple[Vectors, Vectors], text: tuple[Rows, Rows], found: BothWays, margin: Margin, k: int, threads: int
) -> Known:
    """Return the scores of known pairs among the text.

    `known` are the vectors of source and target, row by row; `found` are the neighbours in the text.

    Raises:
        CorpusError: nearly all score below others of the same sentences, so they say nothing of what is right.
    """
    (source, target), (sources, targets) = known, text
    own = np.einsum("ij,ij->i", source, target).astype(np.float32)
    forward, backward = _among(source, targets, k, threads), _among(target, sources, k, threads)
    means = _mean_with(forward, own, k), _mean_with(backward, own, k)
    score = margin_score(own, *means, margin)
    rivals = [
        _best_rival(forward, found.backward.mean_of(k), own, margin, k),
        _best_rival(backward, found.forward.mean_of(k), own, margin, k),
    ]
    beaten = np.maximum(*rivals) > score
    if beaten.mean() > _MOST_BEATEN:
        raise CorpusError(
            f"{beaten.sum():,} of {len(own):,} known pairs are less alike than their sentences and others of the text",
            hint="are their two sides in the order of the piles, and does the model know both languages?",
        )
    distance = margin_score(own, *means, "distance").astype(np.float64)
    return Known(distance, np.where(beaten, -np.inf, score.astype(np.float64)))


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
