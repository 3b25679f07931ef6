"""How many of the observed scores belong to each kind of wrong pair, of which we know how it scores."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

Values = npt.NDArray[np.floating[Any]]
Numbers = npt.NDArray[np.float64]

_BINS = 40
_SMOOTHED = 5  # bins
_SKEW = 1.5  # right pairs' scores fall off more slowly on the lower side; see docs/results/filtering.md
_STEPS = 500


def shares_of(wrong: Sequence[Values], observed: Values, right: Values | None = None) -> Numbers:
    """The share of each kind of wrong pair among all; how right pairs score is guessed unless it is known."""
    parts = [*wrong, likely_right(observed, wrong) if right is None else right]
    return mixture(observed, [part for part in parts if len(part)])[: len(wrong)]


def likely_right(observed: Values, wrong: Sequence[Values]) -> Values:
    """How right pairs seem to score: as those above the commonest score, and below it by half as much again.

    Wrong pairs hardly reach it. It is looked for above the median of the wrong pairs that score best.
    """
    high = observed[observed > max(float(np.median(kind)) for kind in wrong)]
    if not len(high):
        return high
    counts, edges = np.histogram(high, _BINS)
    smooth = np.convolve(counts, np.ones(_SMOOTHED), "same")
    at = int(smooth.argmax())
    commonest = (edges[at] + edges[at + 1]) / 2
    above = high[high >= commonest]
    return np.concatenate([above, commonest - _SKEW * (above - commonest)])


def mixture(observed: Values, parts: Sequence[Values]) -> Numbers:
    """The weights, one in total, with which samples of the parts make up the observed scores best.

    Expectation maximisation on histograms, whose bins hold as many of the parts' scores each.
    """
    quantiles = np.linspace(0, 1, _BINS + 1)[1:-1]
    edges = np.unique(np.concatenate([np.quantile(part, quantiles) for part in parts if len(part)]))
    counts = _histogram(observed, edges)
    densities = np.stack([_histogram(part, edges) + 1e-6 for part in parts])
    densities /= densities.sum(axis=1, keepdims=True)
    weights = np.full(len(parts), 1 / len(parts))
    for _ in range(_STEPS):
        weights *= densities @ (counts / (weights @ densities)) / max(counts.sum(), 1)
    return weights


def _histogram(values: Values, edges: Values) -> Numbers:
    return np.bincount(np.searchsorted(edges, values), minlength=len(edges) + 1).astype(np.float64)
