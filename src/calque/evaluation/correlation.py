"""Pearson's and Spearman's correlation, of a sample and of many resamples of it at once.

A resample is a row of counts: how often each pair was drawn. Sums over a resample are then matrix products, and ranks
follow from one sorting of the sample, so a thousand resamples cost little more than one.
"""

from __future__ import annotations

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
    x, y = _centred(x), _centred(y)
    size = counts.sum(axis=1)
    sum_x, sum_y = counts @ x, counts @ y

    def variance(squares: Values, sums: Values) -> Values:
        # Rounding leaves something of a variance that is zero: next to the squares it is nothing.
        rest = squares - sums**2 / size
        return np.where(rest > 1e-12 * squares, rest, 0)

    covariance = counts @ (x * y) - sum_x * sum_y / size
    return _ratio(covariance, variance(counts @ (x * x), sum_x), variance(counts @ (y * y), sum_y))


def resampled_spearman(x: Values, y: Values, counts: Counts) -> Values:
    """(resamples,)"""
    middle = (counts.sum(axis=1, keepdims=True) + 1) / 2  # the mean of all ranks, however many are shared
    x_ranks, y_ranks = resampled_ranks(x, counts) - middle, resampled_ranks(y, counts) - middle

    def moment(one: Counts, two: Counts) -> Values:
        total: Values = np.einsum("ij,ij,ij->i", counts, one, two)
        return total

    return _ratio(moment(x_ranks, y_ranks), moment(x_ranks, x_ranks), moment(y_ranks, y_ranks))


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


def _centred(values: Values) -> Values:
    """Around 0 and at most 1 away from it, which leaves correlations as they are: sums neither cancel nor overflow."""
    scaled = np.ldexp(values, -np.frexp(np.abs(values).max())[1])  # a power of two rounds nothing
    centred: Values = scaled - scaled[0]  # equal values leave exactly 0
    centred -= centred.mean()
    return centred / (np.abs(centred).max() or 1)


def _ratio(covariance: Values, x_variance: Values, y_variance: Values) -> Values:
    lengths = np.sqrt(x_variance) * np.sqrt(y_variance)
    ratio: Values = np.divide(covariance, lengths, out=np.zeros_like(lengths), where=lengths > 0)
    return np.clip(ratio, -1, 1)
