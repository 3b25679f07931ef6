"""What approximate search misses, measured on queries whose exact neighbours are known."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .nearest import Neighbours, Vectors
from .product import search_by_product

_QUERIES = 500


@dataclass(frozen=True)
class Recall:
    """The share of the exact k nearest that is found, and what it takes."""

    share: float
    k: int
    queries: int
    clusters: int
    probes: int  # clusters that are looked into
    fetched: int  # candidates for each one asked for


@dataclass(frozen=True)
class Trial:
    """Queries whose exact neighbours are known."""

    queries: Vectors
    own: npt.NDArray[np.int64] | None  # where a query stands among the vectors, if it does
    k: int
    least: Vectors  # (queries, 1): the cosine of the last of the exact k nearest

    @classmethod
    def draw(cls, vectors: Vectors, queries: Vectors | None, k: int, threads: int) -> Trial:
        own = None if queries is not None else spread(len(vectors), _QUERIES)
        asked = vectors[own] if queries is None else queries[spread(len(queries), _QUERIES)]
        trial = cls(np.ascontiguousarray(asked, np.float32), own, k, np.empty((0, 1), np.float32))
        exact = trial._cosines(search_by_product(trial.queries, vectors, trial.depth, threads=threads).found)
        return cls(trial.queries, own, k, exact[:, -1:])

    @property
    def depth(self) -> int:
        return self.k + (self.own is not None)

    def share(self, found: Neighbours) -> float:
        """Of equals, any will do."""
        return float((self._cosines(found) >= self.least - 1e-6).mean())

    def _cosines(self, found: Neighbours) -> Vectors:
        """(queries, k), without the query itself; where it was not found, without the last."""
        if self.own is None:
            return found.cosine
        itself = found.index == self.own[:, None]
        itself[~itself.any(axis=1), -1] = True
        others: Vectors = found.cosine[~itself].reshape(len(itself), -1)
        return others


def spread(count: int, wanted: int) -> npt.NDArray[np.int64]:
    """Numbers below `count` drawn without repeats, the same each time, in order as a file is read best."""
    return np.sort(np.random.default_rng(1).choice(count, min(wanted, count), replace=False))
