"""The n-th highest of very many numbers, exactly and without holding them: by their bits, sixteen at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
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
    (place,) = places_from_the_top(read, [n])
    return place


def places_from_the_top(read: Callable[[], Iterable[Values]], ranks: Sequence[int]) -> list[Place]:
    """The same for several ranks, all of them from the same two readings."""
    high_digits = np.zeros(1 << 16, np.int64)
    for values in read():
        high_digits += _counts(_keys(values) >> np.uint32(16))
    highs = [_from_the_top(high_digits, rank) for rank in ranks]
    inside = {int(high.value): np.zeros(1 << 16, np.int64) for high in highs}
    for values in read():
        keys = _keys(values)
        for digit, low_digits in inside.items():
            low_digits += _counts(keys[keys >> np.uint32(16) == digit] & np.uint32(0xFFFF))
    found = []
    for rank, high in zip(ranks, highs, strict=True):
        low = _from_the_top(inside[int(high.value)], rank - high.above)
        found.append(Place(_value((int(high.value) << 16) | int(low.value)), high.above + low.above))
    return found


def _counts(digits: Keys) -> npt.NDArray[np.int64]:
    return np.bincount(digits, minlength=1 << 16)


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
