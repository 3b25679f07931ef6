"""The memory of results is used again, and never while anybody holds it."""

from __future__ import annotations

import numpy as np
import pytest

from calque import _kernel

ROWS, COLUMNS = 2000, 300  # above the size from which memory is kept


def test_a_result_that_is_still_held_keeps_its_memory() -> None:
    first = _kernel.matrix(ROWS, COLUMNS)
    first[:] = 1
    view = first[10:20]
    del first
    second = _kernel.matrix(ROWS, COLUMNS)
    second[:] = 2
    assert np.all(view == 1)


def test_memory_that_nobody_holds_is_used_again() -> None:
    first = _kernel.matrix(ROWS, COLUMNS)
    address = first.ctypes.data
    del first
    assert _kernel.matrix(ROWS, COLUMNS).ctypes.data == address


def test_a_small_result_does_not_hold_on_to_the_memory_of_a_large_one() -> None:
    large = _kernel.matrix(10 * ROWS, COLUMNS)
    address = large.ctypes.data
    del large
    assert _kernel.matrix(ROWS, COLUMNS).ctypes.data != address


def test_more_numbers_than_can_be_counted_are_refused() -> None:
    with pytest.raises(ValueError, match="no memory is that large"):
        _kernel.matrix(1 << 62, 4)
