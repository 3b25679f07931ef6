"""Pearson's and Spearman's correlation, of a sample and of many resamples of it at once.

A resample is a row of counts: how often each pair was drawn. Sums over a resample are then matrix products, and ranks
follow from one sorting of the sample, so a thousand resamples cost little more than one.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Values = npt.NDArray[np.float64]
Counts = npt.NDArray[np.float64]  # (resamples, n)


def pearson(x: npt.ArrayLike, y: npt.ArrayLike) -> float:
    """Pearson's r; 0 if either side is constant."""
    first, second = _pair(x, y)
    return float(resampled_pearson(first, second, np.ones((1, len(first))))[0])


def spearman(x: npt.ArrayLike, y: npt.ArrayLike) -> float:
    """Spearman's ρ, equal values sharing their mean rank; 0 if either side is constant."""
    first, second = _pair(x, y)
    return float(resampled_spearman(first, second, np.ones((1, len(first))))[0])


def resampled_pearson(x: Values, y: Values, counts: Counts) -> Values:
    """(resamples,)"""
    x, y = x - x.mean(), y - y.mean()  # so that the sums below do not cancel
    size = counts.sum(axis=1)
    sum_x, sum_y = counts @ x, counts @ y
    covariance = counts @ (x * y) - sum_x * sum_y / size
    return _ratio(covariance, counts @ (x * x) - sum_x**2 / size, counts @ (y * y) - sum_y**2 / size)


def resampled_spearman(x: Values, y: Values, counts: Counts) -> Values:
    """(resamples,)"""
    half = counts.sum(axis=1, keepdims=True) / 2
    x_ranks, y_ranks = resampled_ranks(x, counts) - half, resampled_ranks(y, counts) - half
    size = counts.sum(axis=1)
    weighted_x, weighted_y = counts * x_ranks, counts * y_ranks
    sum_x, sum_y = weighted_x.sum(axis=1), weighted_y.sum(axis=1)

    def moment(weighted: Counts, ranks: Counts, product_of_sums: Values) -> Values:
        total: Values = np.einsum("ij,ij->i", weighted, ranks) - product_of_sums / size
        return total

    covariance = moment(weighted_x, y_ranks, sum_x * sum_y)
    return _ratio(covariance, moment(weighted_x, x_ranks, sum_x**2), moment(weighted_y, y_ranks, sum_y**2))


def resampled_ranks(values: Values, counts: Counts) -> Counts:
    """The rank of each value within each resample, equal values sharing the mean of theirs, (resamples, n)."""
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    starts = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))  # of runs of equal values
    in_run = np.add.reduceat(counts[:, order], starts, axis=1)
    rank_of_run = np.cumsum(in_run, axis=1) - (in_run - 1) / 2
    ranks = np.empty_like(counts)
    ranks[:, order] = np.repeat(rank_of_run, np.diff([*starts, len(values)]), axis=1)
    return ranks


def _pair(x: npt.ArrayLike, y: npt.ArrayLike) -> tuple[Values, Values]:
    first, second = np.asarray(x, np.float64), np.asarray(y, np.float64)
    if first.ndim != 1 or first.shape != second.shape or not len(first):
        raise ValueError(f"expected two lists of one length, got shapes {first.shape} and {second.shape}")
    return first, second


def _ratio(covariance: Values, x_variance: Values, y_variance: Values) -> Values:
    # Rounding leaves something of a variance that is zero: next to the largest of all it is nothing.
    lengths = np.sqrt(np.maximum(x_variance, 0) * np.maximum(y_variance, 0))
    real = (x_variance > 1e-12 * _largest(x_variance)) & (y_variance > 1e-12 * _largest(y_variance)) & (lengths > 0)
    ratio: Values = np.divide(covariance, lengths, out=np.zeros_like(lengths), where=real)
    return np.clip(ratio, -1, 1)


def _largest(values: npt.NDArray[Any]) -> float:
    return float(values.max(initial=0))
