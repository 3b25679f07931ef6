"""What was there before, known by hashes."""

from __future__ import annotations

from typing import Protocol

import numpy as np
import numpy.typing as npt

Hashes = npt.NDArray[np.uint64]
Marks = npt.NDArray[np.bool_]


class Seen(Protocol):
    """`_kernel.Seen` is one, with bounded memory."""

    def add(self, hashes: Hashes, /) -> Marks:
        """Which of them were there before, counting those earlier in the same list."""
        ...


class NothingSeen:
    """Takes everything for new."""

    def add(self, hashes: Hashes, /) -> Marks:
        return np.zeros(len(hashes), bool)
