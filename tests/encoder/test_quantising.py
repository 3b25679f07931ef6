"""Codes come as near to the rows as their bits allow."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from calque.encoder import random_embeddings
from calque.encoder.quantise import quantised_rows

Rows = npt.NDArray[np.float32]


def error(rows: Rows, bits: int) -> float:
    """Of what is left, relative to the rows' own length."""
    return float(np.linalg.norm(quantised_rows(rows, bits).floats - rows) / np.linalg.norm(rows))


def evenly_spaced(rows: Rows, most: int) -> float:
    """The error of the usual codes −most … most, scaled to each row's largest number."""
    scales = np.abs(rows).max(axis=1, keepdims=True) / most
    return float(np.linalg.norm(np.rint(rows / scales) * scales - rows) / np.linalg.norm(rows))


# The best that 2 ** bits levels can do for normal numbers: 0.0975 and 0.0064 (Lloyd, Max).
@pytest.mark.parametrize(("bits", "best"), [(4, 0.0975), (8, 0.0064)])
def test_levels_are_near_the_best_there_are_for_normal_numbers(bits: int, best: float) -> None:
    rows = random_embeddings(2000, 200, seed=1)
    assert error(rows, bits) < 1.03 * best
    assert error(rows, bits) < evenly_spaced(rows, (1 << bits - 1) - 1)


# Three bits would reach 0.186 with a level for each number.
def test_triples_come_as_near_with_two_bits_and_two_thirds_as_levels_do_with_nearly_three() -> None:
    assert error(random_embeddings(3000, 201, seed=1), 3) < 0.21


@pytest.mark.parametrize("bits", [8, 4, 3])
@pytest.mark.parametrize("size", [1e-20, 1e-3, 1, 1e10])
def test_the_length_of_rows_does_not_matter(bits: int, size: float) -> None:
    rows = random_embeddings(200, 64, seed=1)
    rows *= np.float32(size)
    rows[::2] *= 1000
    alike = quantised_rows(rows, bits).floats
    for row, other in zip(rows, alike, strict=True):
        assert np.linalg.norm(other - row) < 0.3 * np.linalg.norm(row)


@pytest.mark.parametrize("bits", [8, 4, 3])
def test_rows_of_zeros_stay_zero(bits: int) -> None:
    rows = random_embeddings(50, 30, seed=1)
    rows[[0, 7]] = 0
    coded = quantised_rows(rows, bits).floats
    assert not coded[[0, 7]].any()
    assert coded[1].any()


@pytest.mark.parametrize("bits", [8, 4, 3])
@given(data=st.data())
@settings(max_examples=50)
def test_any_rows_have_codes(bits: int, data: st.DataObject) -> None:
    size, dimension = data.draw(st.integers(0, 5)), data.draw(st.integers(1, 5))
    number = st.floats(-1e6, 1e6, width=32)
    values = data.draw(st.lists(number, min_size=size * dimension, max_size=size * dimension))
    rows = np.array(values, np.float32).reshape(size, dimension)
    coded = quantised_rows(rows, bits)
    assert coded.floats.shape == rows.shape
    assert np.isfinite(coded.floats).all()
    assert np.linalg.norm(coded.floats - rows) <= 0.5 * np.linalg.norm(rows) + 1e-30


@pytest.mark.parametrize("bits", [8, 4, 3])
def test_the_same_rows_have_the_same_codes(bits: int) -> None:
    rows = random_embeddings(5000, 64, seed=3)
    one, two = quantised_rows(rows, bits), quantised_rows(rows.copy(), bits)
    assert [array.tobytes() for array in one.tensors.values()] == [array.tobytes() for array in two.tensors.values()]


def test_another_number_of_bits_is_refused() -> None:
    with pytest.raises(ValueError, match="expected 8, 4 or 3 bits, got 5"):
        quantised_rows(random_embeddings(5, 4, seed=1), 5)
