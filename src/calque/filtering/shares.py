"""How many of the observed scores belong to each kind of wrong pair, of which we know how it scores."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

Values = npt.NDArray[np.floating[Any]]
Numbers = npt.NDArray[np.float64]

_BINS = 40
_STEPS = 500


def shares_in_tail(observed: Values, wrong: Sequence[Values]) -> Numbers:
    """The share of each kind of wrong pair among all, told from the lowest scores.

    Below the median of the best-scoring kind, right pairs are taken to be so few that they do not count: those that are
    there are counted as wrong, so the shares are rather too large than too small.
    """
    cut = max(float(np.median(kind)) for kind in wrong)
    below = [kind[kind <= cut] for kind in wrong]
    low = observed[observed <= cut]
    if not len(low):
        return np.zeros(len(wrong))
    weights = mixture(low, below)
    reach = np.array([len(some) / len(kind) for some, kind in zip(below, wrong, strict=True)])
    shares: Numbers = len(low) / len(observed) * weights / np.maximum(reach, 1e-9)
    shares /= max(float(shares.sum()), 1.0)
    return shares


def shares_beside(observed: Values, wrong: Sequence[Values], right: Values) -> Numbers:
    """The share of each kind of wrong pair, if it is known how right pairs score."""
    return mixture(observed, [*wrong, right])[:-1]


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
