"""The check that vectors have length 1: what is no number would otherwise be passed over, or win every comparison."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from .nearest import Vectors

ROUNDING = 1e-3  # of squared lengths and of cosines
_AT_ONCE = 1 << 12  # vectors


def first_of_other_length(vectors: Vectors, rows: npt.NDArray[np.int64] | None = None) -> int | None:
    """Return the first row, of some or of all, that is neither of length 1 nor zeros; None if there is none."""
    for begin, part in _parts(vectors, rows):
        squares = np.einsum("ij,ij->i", part, part, dtype=np.float64)
        wrong = ~((np.abs(squares - 1) < ROUNDING) | (squares == 0))
        if wrong.any():
            at = begin + int(np.flatnonzero(wrong)[0])
            return at if rows is None else int(rows[at])
    return None


def _parts(vectors: Vectors, rows: npt.NDArray[np.int64] | None) -> Iterator[tuple[int, Vectors]]:
    for begin in range(0, len(vectors) if rows is None else len(rows), _AT_ONCE):
        some = slice(begin, begin + _AT_ONCE)
        yield begin, vectors[some] if rows is None else vectors[rows[some]]
