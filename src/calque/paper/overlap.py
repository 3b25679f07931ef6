"""The paper's SP overlap, for text whose pieces are rows of one table already."""

from __future__ import annotations

import numpy as np

from ..vocabulary import Tokens
from ..vocabulary.overlap import PieceOverlap, overlap_of_counts

LOW_OVERLAP = 0.3  # of tokens: the paper sees two clusters of languages, up to here and above


def piece_overlap(source: Tokens, target: Tokens) -> PieceOverlap:
    """Which share of the source's rows (English, in the paper) occur in the target's text, too.

    Each language is to be segmented by its own vocabulary, coinciding pieces having the same row: sharing "separate".
    """
    return overlap_of_counts(_counts(source), _counts(target))


def _counts(tokens: Tokens) -> dict[int, int]:
    rows, counts = np.unique(tokens.ids, return_counts=True)
    return dict(zip(rows.tolist(), counts.tolist(), strict=True))
