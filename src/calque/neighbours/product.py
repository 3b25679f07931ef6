"""Many queries at once: blocks of the matrix product, of which only the best are kept."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .. import _kernel
from ..threads import resolve_threads
from .nearest import Neighbours, Vectors, no_neighbours

Marks = npt.NDArray[np.uint8]  # (n,): not 0 where a row is to be left out

_QUERIES, _ROWS = 1024, 1024  # a block of cosines: 4 MB
_SPARE = 22  # kept beyond k, so that those that rounding may have put in the wrong order are among them
_LEFT_OUT = np.float32(-3)  # below anything that is ever kept


@dataclass(frozen=True)
class ByProduct:
    found: Neighbours
    unsure: npt.NDArray[np.int64]  # queries with so many rows nearly as near that one may have been missed


def search_by_product(
    queries: Vectors, vectors: Vectors, k: int, *, deleted: Marks | None = None, threads: int | None = None
) -> ByProduct:
    """The k nearest vectors to each query by their exact products; of equals, the earlier."""
    count = resolve_threads(threads)
    found = no_neighbours(len(queries), k)
    unsure = []
    for begin in range(0, len(queries), _QUERIES):
        some = np.ascontiguousarray(queries[begin : begin + _QUERIES])
        rough = _rough(some, vectors, k + _SPARE, deleted, count)
        exact = best_exactly(some, vectors, rough, k, count)
        found.index[begin : begin + len(some)] = exact.index
        found.cosine[begin : begin + len(some)] = exact.cosine
        unsure.append(begin + np.flatnonzero(_may_miss(rough, k, vectors.shape[1])))
    return ByProduct(found, np.concatenate(unsure) if unsure else np.zeros(0, np.int64))


def _rough(queries: Vectors, vectors: Vectors, kept: int, deleted: Marks | None, threads: int) -> Neighbours:
    """By BLAS, as it rounds."""
    found = no_neighbours(len(queries), kept)
    memory = np.empty(len(queries) * min(_ROWS, len(vectors)), np.float32)
    for row in range(0, len(vectors), _ROWS):
        block = vectors[row : row + _ROWS]
        cosines = memory[: len(queries) * len(block)].reshape(len(queries), len(block))
        with np.errstate(invalid="ignore", over="ignore"):  # of forged vectors, which the index refuses
            np.matmul(queries, block.T, out=cosines)
        if deleted is not None and (gone := deleted[row : row + _ROWS]).any():
            cosines[:, gone != 0] = _LEFT_OUT
        _kernel.offer_one_way(cosines, row, found.cosine, found.index, threads)
    return found


def best_exactly(queries: Vectors, vectors: Vectors, rough: Neighbours, k: int, threads: int) -> Neighbours:
    """The k best of some neighbours by their exact products; of equals, the earlier."""
    exact = rough.cosine.copy()
    _kernel.exact_products(queries, vectors, rough.index, exact, threads)
    order = np.lexsort((rough.index, -exact), axis=1)[:, :k]
    return Neighbours(np.take_along_axis(rough.index, order, 1), np.take_along_axis(exact, order, 1))


def _may_miss(rough: Neighbours, k: int, dimension: int) -> npt.NDArray[np.bool_]:
    """Whether a row that was not kept might belong to the k best, by the worst that float32 can do to a dot product.

    However the terms of unit vectors' products are added up, the sum is off by at most dimension · 2⁻²⁴.
    """
    off = (dimension + 4) * 2.0**-24
    full = rough.index[:, -1] >= 0
    near: npt.NDArray[np.bool_] = rough.cosine[:, -1] + off >= rough.cosine[:, k - 1] - off
    return full & near
