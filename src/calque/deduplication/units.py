"""The different texts of a corpus: what there is to compare."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .keys import Hashes
from .scratch import Vectors

Indices = npt.NDArray[np.int64]
Texts = Callable[[Indices], Sequence[tuple[str, ...]]]  # the rows of some units

_FETCHED = 1 << 14  # pairs whose vectors are in memory at once: 40 MB at 300 dimensions


@dataclass(frozen=True)
class Units:
    """Unit vectors, one for each side; texts whose numbers differ are not compared."""

    vectors: Vectors  # (n, sides × dimension)
    letters: Hashes  # (n,)
    digits: Hashes  # (n,)
    sides: int = 1
    texts: Texts | None = None  # read for near pairs alone

    def __len__(self) -> int:
        return len(self.vectors)

    def similarities(self, first: Indices, second: Indices) -> npt.NDArray[np.float32]:
        """The cosines of pairs of units; the smaller one of both sides."""
        out = np.empty(len(first), np.float32)
        for begin in range(0, len(first), _FETCHED):
            part = slice(begin, begin + _FETCHED)
            one, two = (self.vectors[each[part]].reshape(len(each[part]), self.sides, -1) for each in (first, second))
            out[part] = np.einsum("nsd,nsd->ns", one, two).min(axis=1)
        return out
