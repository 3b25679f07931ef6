"""The nearest vectors to each of some queries, exactly: one query or thousands."""

from __future__ import annotations

import numpy as np

from .. import _kernel
from ..threads import resolve_threads
from .codes import Codes
from .nearest import Neighbours, Vectors, no_neighbours
from .product import Marks, search_by_product

_FEW = 64  # queries: up to so many, reading a quarter of the bytes beats the better use of what has been read
_LARGEST_K = 256  # beyond, keeping the best sorted while blocks come in costs more than the product


def search_exactly(
    queries: Vectors,
    vectors: Vectors,
    codes: Codes,
    k: int,
    *,
    deleted: Marks | None = None,
    threads: int | None = None,
) -> Neighbours:
    """The k nearest by cosine; of equals, the earlier. Vectors and queries must have length 1 (or be zero).

    A cosine is a sum of products in double precision, rounded once: the same on every machine, whichever way is taken.
    """
    count = resolve_threads(threads)
    if len(queries) <= _FEW or k > _LARGEST_K:
        return _scanned(queries, vectors, codes, k, deleted, count)
    done = search_by_product(queries, vectors, k, deleted=deleted, threads=count)
    if len(done.unsure):
        again = _scanned(queries[done.unsure], vectors, codes, k, deleted, count)
        done.found.index[done.unsure] = again.index
        done.found.cosine[done.unsure] = again.cosine
    return done.found


def _scanned(
    queries: Vectors, vectors: Vectors, codes: Codes, k: int, deleted: Marks | None, threads: int
) -> Neighbours:
    found = no_neighbours(len(queries), k)
    asked = np.ascontiguousarray(queries, np.float32)
    _kernel.scan(asked, vectors, codes.values, codes.about, deleted, found.cosine, found.index, threads)
    return found
