"""How long the sides of pairs are against each other: half a translation gives itself away by it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ..corpus import Pair

Numbers = npt.NDArray[np.float64]


def length_ratios(pairs: Sequence[Pair]) -> Numbers:
    """Logarithms of the target's characters by the source's.

    >>> length_ratios([Pair("abc", "abc"), Pair("ab", "abab")]).round(2).tolist()
    [0.0, 0.69]
    """
    lengths = np.array([[max(len(side), 1) for side in pair[:2]] for pair in pairs], np.float64).reshape(-1, 2)
    ratios: Numbers = np.log(lengths[:, 1] / lengths[:, 0])
    return ratios
