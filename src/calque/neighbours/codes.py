"""Vectors as 8-bit numbers, with bounds on what was lost: enough to tell which rows need not be looked at in full."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from .. import _kernel
from ..threads import resolve_threads
from .nearest import Vectors

_TILE = 16  # the kernel reads that many codes at a time
ABOUT = 3  # numbers about each row: scale, error, length


class Codes(NamedTuple):
    values: npt.NDArray[np.int8]  # (n, width)
    about: Vectors  # (n, ABOUT)


def code(vectors: Vectors, threads: int | None = None) -> Codes:
    made = Codes(np.empty((len(vectors), code_width(vectors.shape[1])), np.int8), np.empty((len(vectors), ABOUT), "f4"))
    _kernel.code_rows(vectors, made.values, made.about, resolve_threads(threads))
    return made


def code_width(dimension: int) -> int:
    """Bytes a row: the dimension, rounded up to what the kernel reads at once."""
    return -(-dimension // _TILE) * _TILE
