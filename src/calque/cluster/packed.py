"""Several arrays in one file, of which any one can be read alone: what many write for many to read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from .places import Place

_WHERE = np.dtype(np.int64)


def write_packed(place: Place, parts: Sequence[npt.NDArray[Any]]) -> None:
    ends = np.cumsum([part.nbytes for part in parts], dtype=_WHERE)
    with place.placing() as path, open(path, "wb") as file:
        file.write(np.concatenate([[0], ends]).astype(_WHERE).tobytes())
        for part in parts:
            file.write(np.ascontiguousarray(part).reshape(-1).view(np.uint8).data)


def read_packed(place: Place, parts: int, at: int, type: Any) -> npt.NDArray[Any]:
    """Part `at` of a file of so many `parts`."""
    step = _WHERE.itemsize
    begin, end = np.frombuffer(place.read(at * step, (at + 2) * step), _WHERE).tolist()
    if begin == end:
        return np.zeros(0, type)
    start = (parts + 1) * step
    return np.frombuffer(place.read(start + begin, start + end), type)
