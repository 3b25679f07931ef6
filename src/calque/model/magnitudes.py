"""How large a model's numbers are: sums and squares of rows must stay within what float32 can hold."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import ModelError

# A hundred million such rows of the widest model, added up and squared, stay below 3.4e38. Learnt rows are about 1.
LARGEST = 1e9

_HINT = "copy the model again from where it comes from; training does not make such values"
_BLOCK = 1 << 18  # numbers that stay in the cache between two looks at them
_INTEGERS = {2: (np.int16, np.uint16), 4: (np.int32, np.uint32), 8: (np.int64, np.uint64)}


def largest_magnitude(numbers: npt.NDArray[Any]) -> float:
    """Return the largest absolute value; infinite or NaN where a number is either.

    The bits of floats of one sign are in the order of their magnitudes, NaN last, and integers are compared faster.
    """
    signed, unsigned = _INTEGERS[numbers.itemsize]
    flat = np.ascontiguousarray(numbers).reshape(-1)
    positive, negative = 0, 0
    for begin in range(0, len(flat), _BLOCK):
        block = flat[begin : begin + _BLOCK]
        positive = max(positive, int(block.view(signed).max()))
        negative = max(negative, int(block.view(unsigned).max()))
    bits = max(positive, negative & (1 << 8 * numbers.itemsize - 1) - 1)
    return float(np.array(bits, unsigned).view(numbers.dtype))


def check_magnitudes(path: Path, tensors: Mapping[str, npt.NDArray[Any]]) -> None:
    """
    Raises:
        ModelError: numbers that are not finite, or so large that vectors would not be.
    """
    largest = {name: largest_magnitude(array) for name, array in tensors.items() if array.dtype.kind == "f"}
    if "levels" in largest:
        check_product(path, "scales", largest["scales"], "levels", largest["levels"])
        return
    for name, magnitude in largest.items():
        _check(path, f"`{name}`", magnitude)


def are_small_enough(tensors: Mapping[str, npt.NDArray[Any]]) -> bool:
    """True where `check_magnitudes` would raise nothing."""
    try:
        check_magnitudes(Path(), tensors)
    except ModelError:
        return False
    return True


def check_product(path: Path, first: str, one: float, second: str, other: float) -> None:
    """Check numbers that are made of two tensors, given the largest magnitude of each."""
    for name, magnitude in ((first, one), (second, other)):
        _check(path, f"`{name}`", magnitude)
    _check(path, f"`{first}` times `{second}`", one * other)


def _check(path: Path, what: str, magnitude: float) -> None:
    if not math.isfinite(magnitude):
        raise ModelError(f"{path}: {what} holds values that are not numbers", hint=_HINT)
    if magnitude > LARGEST:
        raise ModelError(
            f"{path}: {what} holds values that are too large to add up: expected at most {LARGEST:.0e}, "
            f"got {magnitude:.3g}",
            hint=_HINT,
        )
