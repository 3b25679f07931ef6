"""Codes for rows: which levels, which scale.

Scaled to the same length, the numbers of trained rows are spread almost alike in every row and column, as a normal
distribution would, so one set of levels serves for all of them. It is fitted to the rows by Lloyd's method. Neither a
scale for each group of columns nor turning the space at random first changed scores by more than chance does
(docs/results/quantised.md).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from .codebook import TRIPLE, fitted_codebook, nearest_triples, triples
from .protocol import Vectors
from .rows import CODE_BITS, CodedRows, Codes, code_bytes

_SAMPLE = 1 << 20  # numbers that levels are fitted to
_ROUNDS = 300  # of Lloyd's method; each takes less than a millisecond
_BLOCK = 1 << 12  # rows coded at a time


def quantised_rows(rows: Vectors, bits: int) -> CodedRows:
    """Codes that come near the rows; a row of zeros stays one. The same rows always get the same codes."""
    if bits not in CODE_BITS:
        raise ValueError(f"expected 8, 4 or 3 bits, got {bits}")
    sample = _sample(rows)
    by_threes = bits == 3
    levels = fitted_codebook(triples(sample).reshape(-1, TRIPLE)) if by_threes else _fitted_levels(sample, 1 << bits)
    codes = np.empty((len(rows), code_bytes(rows.shape[1], bits)), np.uint8)
    scales = np.empty(len(rows), np.float32)
    for begin in range(0, len(rows), _BLOCK):
        block = slice(begin, begin + _BLOCK)
        nearest, scales[block] = (_coded_by_threes if by_threes else _coded)(
            np.asarray(rows[block], np.float32), levels
        )
        codes[block] = _packed(nearest) if bits == 4 else nearest
    return CodedRows(codes, levels, scales, rows.shape[1])


def _coded(rows: Vectors, levels: Vectors) -> tuple[Codes, Vectors]:
    """Each number's nearest level, and for each row the scale that then fits it best."""
    scales = _best_scales(rows, levels[_nearest(_scaled(rows, _lengths(rows)), levels)])
    return _nearest(_scaled(rows, scales), levels), scales


def _coded_by_threes(rows: Vectors, codebook: Vectors) -> tuple[Codes, Vectors]:
    """Each triple's nearest one in the codebook, and for each row the scale that then fits it best."""
    points = triples(_scaled(rows, _lengths(rows)))
    codes = nearest_triples(points.reshape(-1, TRIPLE), codebook).reshape(points.shape[:2])
    return codes, _best_scales(rows, codebook[codes].reshape(len(rows), -1)[:, : rows.shape[1]])


def _best_scales(rows: Vectors, coded: Vectors) -> Vectors:
    squares = np.einsum("ij,ij->i", coded, coded)
    products = np.einsum("ij,ij->i", rows, coded)
    live = (squares > 0) & rows.any(axis=1)
    return np.asarray(np.divide(products, squares, out=np.zeros_like(products), where=live))


def _sample(rows: Vectors) -> Vectors:
    """Some rows that are not zero, evenly taken and scaled."""
    live = np.flatnonzero(rows.any(axis=1))
    step = max(1, len(live) * rows.shape[1] // _SAMPLE)
    chosen = np.asarray(rows[live[::step]], np.float32)
    return _scaled(chosen, _lengths(chosen))


def _fitted_levels(numbers: Vectors, count: int) -> Vectors:
    """Lloyd's method in one dimension: each level is the mean of the numbers nearest to it."""
    numbers = np.sort(numbers.ravel())
    if not len(numbers):
        return np.linspace(-1, 1, count, dtype=np.float32)
    # Of a normal distribution, many levels lie best as the quantiles of one that is √3 times as wide.
    levels = np.sqrt(3) * np.quantile(numbers, (np.arange(count) + 0.5) / count)
    sums = np.concatenate([[0], np.cumsum(numbers, dtype=np.float64)])
    for _ in range(_ROUNDS):
        edges = np.concatenate([[0], np.searchsorted(numbers, _between(levels)), [len(numbers)]])
        counts = np.diff(edges)
        levels = np.where(counts > 0, np.diff(sums[edges]) / np.maximum(counts, 1), levels)
    return np.asarray(levels, np.float32)


def _between(levels: npt.NDArray[np.floating]) -> npt.NDArray[np.floating]:
    return (levels[1:] + levels[:-1]) / 2


def _nearest(numbers: Vectors, levels: Vectors) -> Codes:
    return np.searchsorted(_between(levels), numbers).astype(np.uint8)


def _lengths(rows: Vectors) -> Vectors:
    """Root mean squares, (len(rows),)."""
    return np.asarray(np.sqrt(np.mean(np.square(rows, dtype=np.float64), axis=1)), np.float32)


def _scaled(rows: Vectors, scales: Vectors) -> Vectors:
    column = scales[:, None]
    return np.divide(rows, column, out=np.zeros_like(rows), where=column != 0)


def _packed(codes: Codes) -> Codes:
    """Two codes of 4 bits a byte."""
    even = np.pad(codes, ((0, 0), (0, codes.shape[1] % 2)))
    low, high = even[:, ::2], even[:, 1::2]
    return low | np.left_shift(high, 4, dtype=np.uint8)
