"""The n-th highest of very many numbers, exactly and without holding them: by their bits, sixteen at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Values = npt.NDArray[np.float32]
Keys = npt.NDArray[np.uint32]


class Place(NamedTuple):
    value: float
    above: int  # how many are higher


def nth_highest(read: Callable[[], Iterable[Values]], n: int) -> Place:
    """`read` gives all numbers, twice; there are at least `n` ≥ 1 of them."""
    high = _from_the_top(_count(read(), lambda keys: keys >> np.uint32(16)), n)
    inside = _count(read(), lambda keys: keys[keys >> np.uint32(16) == high.value] & np.uint32(0xFFFF))
    low = _from_the_top(inside, n - high.above)
    return Place(_value((int(high.value) << 16) | int(low.value)), high.above + low.above)


def _count(blocks: Iterable[Values], digit: Callable[[Keys], Keys]) -> npt.NDArray[np.int64]:
    counts = np.zeros(1 << 16, np.int64)
    for block in blocks:
        counts += np.bincount(digit(_keys(block)), minlength=1 << 16)
    return counts


def _from_the_top(counts: npt.NDArray[np.int64], n: int) -> Place:
    reached = np.cumsum(counts[::-1])
    at = int(np.searchsorted(reached, n))
    return Place(len(counts) - 1 - at, int(reached[at - 1]) if at else 0)


def _keys(values: Values) -> Keys:
    """Whole numbers in the same order as the floats: IEEE 754 makes that a matter of the sign."""
    bits = (values + np.float32(0)).view(np.uint32)  # −0 becomes 0
    return np.where(bits >> np.uint32(31), ~bits, bits | np.uint32(1 << 31))


def _value(key: int) -> float:
    bits = key & 0x7FFFFFFF if key >> 31 else ~key & 0xFFFFFFFF
    return float(np.array(bits, np.uint32).view(np.float32))
