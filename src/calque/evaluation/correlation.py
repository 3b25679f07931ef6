"""How well two lists of numbers agree."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

Numbers = Sequence[float] | npt.NDArray[Any]


def pearson(x: Numbers, y: Numbers) -> float:
    """Not a number if either list is constant or has fewer than two entries."""
    one, two = (np.asarray(values, np.float64) for values in (x, y))
    if len(one) < 2:
        return float("nan")
    one, two = one - one.mean(), two - two.mean()
    scale = float(np.linalg.norm(one) * np.linalg.norm(two))
    return float(one @ two) / scale if scale else float("nan")


def spearman(x: Numbers, y: Numbers) -> float:
    """Pearson's correlation of the ranks; equal numbers share the mean of theirs."""
    return pearson(_ranks(x), _ranks(y))


def _ranks(values: Numbers) -> npt.NDArray[np.float64]:
    _, at, counts = np.unique(np.asarray(values, np.float64), return_inverse=True, return_counts=True)
    ranks: npt.NDArray[np.float64] = (np.cumsum(counts) - (counts - 1) / 2)[at]
    return ranks
