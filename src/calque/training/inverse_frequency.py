"""Rows weighted down by how common their pieces are, once they are learnt (SIF: Arora, Liang and Ma, 2017).

Training gives a common piece as much weight as telling translations from other sentences needs; judging how similar two
sentences are needs less. The weight a / (a + p) is folded into the row, so that a sentence is still a plain average.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from .corpus import Corpus

Shares = npt.NDArray[np.float64]

_NEVER_ZERO = np.finfo(np.float64).tiny  # a language or a piece without tokens has no share


def row_weights(corpus: Corpus, rows: int, a: float) -> npt.NDArray[np.float32]:
    """(rows, 1); all ones for a = 0, but for pieces that say nothing."""
    weights = np.ones(rows) if a == 0 else a / (a + piece_shares(corpus, rows))
    weights[list(corpus.silent)] = 0
    return weights.astype(np.float32)[:, None]


def piece_shares(corpus: Corpus, rows: int) -> Shares:
    """Which share of its language's tokens a piece is; of several languages' shares the mean, by its counts in each.

    A share of all text would take "the" for common and its translation into a small language for rare.
    """
    counts = np.stack(list(_counts(corpus, rows).values()))
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), _NEVER_ZERO)
    mean: Shares = (counts * shares).sum(axis=0) / np.maximum(counts.sum(axis=0), _NEVER_ZERO)
    return mean


def _counts(corpus: Corpus, rows: int) -> dict[str | int, Shares]:
    """How often each row is seen in an epoch, by language; where languages are not known, by side."""
    counts: dict[str | int, Shares] = {}
    for side in corpus.sides(rows):
        of = counts.setdefault(side.language or side.number, np.zeros(rows))
        of += side.weight * side.counts
    return counts
