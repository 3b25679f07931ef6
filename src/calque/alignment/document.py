"""A document as vectors whose sums are vectors of longer text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Vectors = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Document:
    """Row i is sentence i's vector times its length, so that the sum of some rows points where their joint text does.

    That would be exact with the number of pieces as a length. Characters come as near as can be measured, serve to
    compare lengths as well, in which they are better, and are there whatever the encoder.
    """

    sums: Vectors  # (n, dimension)
    lengths: Vectors  # (n,)

    @classmethod
    def of(cls, vectors: Vectors, texts: Sequence[str]) -> Document:
        lengths = np.array([len(text) for text in texts], np.float32)
        return cls(vectors * lengths[:, None], lengths)

    def __len__(self) -> int:
        return len(self.sums)

    @property
    def has_vector(self) -> npt.NDArray[np.bool_]:
        """Which sentences are not blank to the model."""
        return np.asarray(self.sums.any(axis=1))

    def only(self, which: npt.NDArray[np.intp]) -> Document:
        return Document(self.sums[which], self.lengths[which])

    def halved(self) -> Document:
        """Sentences joined two by two; the last one of an odd number stays alone."""
        begins = np.arange(0, len(self), 2)
        return Document(np.add.reduceat(self.sums, begins), np.add.reduceat(self.lengths, begins))

    def run_sums(self, size: int) -> Vectors:
        """Row i: the sum of the `size` rows that end with i; rows before size − 1 hold what there is."""
        return _windowed(self.sums, size)

    def runs_ending(self, ends: npt.NDArray[np.int64], size: int) -> Vectors:
        """The same for some rows only."""
        total: Vectors = sum((self.sums[ends - back] for back in range(1, size)), start=self.sums[ends])
        return total

    def run_lengths(self, size: int) -> Vectors:
        return _windowed(self.lengths, size)


def _windowed(rows: Vectors, size: int) -> Vectors:
    total = rows.copy()
    for back in range(1, min(size, len(rows))):
        total[back:] += rows[:-back]
    return total
