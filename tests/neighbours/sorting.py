"""The slow twin of search: every product, summed in double precision as the kernel does, then sorted."""

from __future__ import annotations

from typing import Any

import numpy as np

from calque.neighbours import Neighbours

LANES = 8


def products(queries: Any, vectors: Any) -> Any:
    """(queries, vectors) float32, rounded once."""
    short = -queries.shape[1] % LANES
    one = np.pad(queries.astype(np.float64), ((0, 0), (0, short)))[:, None]
    two = np.pad(vectors.astype(np.float64), ((0, 0), (0, short)))[None]
    sums = np.zeros((len(queries), len(vectors), LANES))
    for begin in range(0, one.shape[2], LANES):
        sums += one[..., begin : begin + LANES] * two[..., begin : begin + LANES]
    for half in (4, 2, 1):
        sums = sums[..., :half] + sums[..., half : 2 * half]
    return sums[..., 0].astype(np.float32)


def sorted_products(queries: Any, vectors: Any, k: int, deleted: Any = None) -> Neighbours:
    found = Neighbours(np.full((len(queries), k), -1, np.int32), np.full((len(queries), k), -2, np.float32))
    rows = np.arange(len(vectors)) if deleted is None else np.flatnonzero(deleted == 0)
    cosines = products(queries, vectors[rows])
    order = np.argsort(-cosines, axis=1, kind="stable")[:, :k]
    found.index[:, : order.shape[1]] = rows[order]
    found.cosine[:, : order.shape[1]] = np.take_along_axis(cosines, order, axis=1)
    return found


def assert_same(found: Neighbours, expected: Neighbours) -> None:
    np.testing.assert_array_equal(found.index, expected.index)
    np.testing.assert_array_equal(found.cosine, expected.cosine)


def unit(vectors: Any) -> Any:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0).astype(np.float32)


def random_vectors(count: int, width: int, seed: int) -> Any:
    return unit(np.random.default_rng(seed).standard_normal((count, width)))


def equal_vectors(count: int, width: int, seed: int) -> Any:
    """Many rows are the same, and some are zero."""
    return unit(np.random.default_rng(seed).integers(-1, 2, (count, width)).astype(float))


def crowded_vectors(count: int, width: int, seed: int) -> Any:
    """All within a thousandth of one another: much nearer than 8-bit numbers can tell."""
    draw = np.random.default_rng(seed)
    return unit(draw.standard_normal((1, width)) + 1e-3 * draw.standard_normal((count, width)))


def spiked_vectors(count: int, width: int, seed: int) -> Any:
    """One number far larger than the others, which 8-bit numbers then say little about."""
    draw = np.random.default_rng(seed)
    vectors = draw.standard_normal((count, width)) * 0.01
    vectors[np.arange(count), draw.integers(0, width, count)] = 1
    return unit(vectors)


KINDS = [random_vectors, equal_vectors, crowded_vectors, spiked_vectors]
