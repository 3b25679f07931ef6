"""The hardest negatives: nearest columns of rows and nearest rows of columns, from products of 7-bit numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from twins import Hardest, hardest

from calque import _kernel

# Around the sizes the kernel pads to: strips of 4 or 12 rows, panels of 8, 16 or 32 columns, blocks of 512 columns.
SIZES = st.one_of(st.integers(1, 40), st.sampled_from([11, 12, 13, 31, 32, 33, 63, 64, 65, 97, 511, 512, 513]))


def find(source: Any, target: Any, row_keys: Any = (), column_keys: Any = (), threads: int = 1) -> Hardest:
    return Hardest(*_kernel.hardest(source, target, list(row_keys), list(column_keys), threads))


def assert_same(found: Hardest, expected: Hardest) -> None:
    for one, two in zip(found, expected, strict=True):
        np.testing.assert_array_equal(one, two)


def unit_vectors(count: int, depth: int, seed: int) -> Any:
    vectors = np.random.default_rng(seed).standard_normal((count, depth), dtype=np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


@given(
    rows=st.integers(1, 40),
    columns=st.integers(1, 40),
    keys=st.integers(0, 3),
    most=st.sampled_from([1, 2, 63, 127]),
    seed=st.integers(0, 1 << 20),
)
@settings(max_examples=200)
def test_the_answer_is_numpys_on_the_same_7_bit_numbers_with_ties_to_the_smaller_index(
    rows: int, columns: int, keys: int, most: int, seed: int
) -> None:
    draw = np.random.default_rng(seed)
    # Sums of small whole numbers round the same way in any order, and are full of ties.
    source, target = (draw.integers(-most, most + 1, (count, 16)).astype(np.float32) for count in (rows, columns))
    row_keys, column_keys = draw.integers(0, 6, (keys, rows)), draw.integers(0, 6, (keys, columns))
    excluded = (row_keys[:, :, None] == column_keys[:, None, :]).any(axis=0)
    expected = hardest(source, target, excluded)
    for threads in (1, 2, 3):
        assert_same(find(source, target, row_keys, column_keys, threads), expected)


@given(rows=SIZES, columns=SIZES, depth=st.sampled_from([16, 48, 304]), seed=st.integers(0, 1 << 20))
@settings(max_examples=60)
def test_the_chosen_cosine_is_as_near_the_true_best_as_7_bits_allow(
    rows: int, columns: int, depth: int, seed: int
) -> None:
    source, target = unit_vectors(rows, depth, seed), unit_vectors(columns, depth, seed + 1)
    cosines = source @ target.T
    found = find(source, target)
    near = 0.12 / depth**0.5  # six standard deviations: the more numbers, the more their errors cancel out
    for index, cosine, exact in (
        (found.row_index, found.row_cosine, cosines),
        (found.column_index, found.column_cosine, cosines.T),
    ):
        chosen = exact[np.arange(len(exact)), index]
        assert (chosen > exact.max(axis=1) - near).all()
        np.testing.assert_allclose(cosine, chosen, rtol=0, atol=near)


@given(rows=SIZES, columns=SIZES, seed=st.integers(0, 1 << 20))
@settings(max_examples=40)
def test_the_answer_does_not_depend_on_the_number_of_threads(rows: int, columns: int, seed: int) -> None:
    source, target = unit_vectors(rows, 32, seed), unit_vectors(columns, 32, seed + 1)
    keys = [np.arange(rows) % 7], [np.arange(columns) % 5]
    alone = find(source, target, *keys, threads=1)
    for threads in (2, 3, 8):
        assert_same(find(source, target, *keys, threads=threads), alone)


def test_the_length_of_a_vector_does_not_matter() -> None:
    source, target = unit_vectors(30, 16, 1), unit_vectors(50, 16, 2)
    stretched = np.geomspace(1e-12, 1e12, 50, dtype=np.float32)[:, None] * target
    found, expected = find(source, stretched), find(source, target)
    np.testing.assert_array_equal(found.row_index, expected.row_index)
    np.testing.assert_allclose(found.column_cosine, expected.column_cosine, atol=0.01)


def test_equal_candidates_go_to_the_smaller_index_whichever_lane_panel_or_thread_they_fall_to() -> None:
    one = unit_vectors(1, 16, 3)
    for threads in (1, 2, 3):
        found = find(np.repeat(one, 100, axis=0), np.repeat(one, 1100, axis=0), threads=threads)
        assert not found.row_index.any()
        assert not found.column_index.any()


def test_a_key_in_common_excludes_a_candidate() -> None:
    vectors = unit_vectors(40, 16, 4)
    pair = np.arange(40)
    assert (find(vectors, vectors).row_index == pair).all()
    found = find(vectors, vectors, [pair], [pair])
    expected = hardest(vectors, vectors, np.eye(40, dtype=bool))
    assert (found.row_index != pair).all()
    assert (found.row_index == expected.row_index).all()
    assert (found.column_index == expected.column_index).all()


def test_any_of_three_keys_excludes() -> None:
    source, target = unit_vectors(1, 16, 5), unit_vectors(4, 16, 6)
    found = find(source, target, [[1], [2], [3]], [[1, 0, 0, 0], [0, 2, 0, 0], [0, 0, 3, 0]])
    assert found.row_index.tolist() == [3]
    assert found.column_index.tolist() == [-1, -1, -1, 0]


def test_where_everything_is_excluded_there_is_none() -> None:
    source, target = unit_vectors(13, 16, 7), unit_vectors(33, 16, 8)
    for threads in (1, 2, 3):
        found = find(source, target, [[1] * 13], [[1] * 33], threads)
        assert (found.row_index == -1).all()
        assert (found.column_index == -1).all()


def test_a_zero_vector_is_at_right_angles_to_everything() -> None:
    found = find(np.zeros((1, 16), np.float32), unit_vectors(5, 16, 9))
    assert found.row_cosine.tolist() == [0]
    assert found.column_cosine.tolist() == [0] * 5


@pytest.mark.parametrize("depth", [16, 8192])
def test_the_largest_sums_fit(depth: int) -> None:
    """Every number as large as it can be, of either sign: nothing on the way to 32 bits may run over."""
    signs = np.array([1, -1], np.float32)[:, None]
    found = find(signs * np.ones(depth, np.float32), signs * np.ones(depth, np.float32))
    assert found.row_index.tolist() == found.column_index.tolist() == [0, 1]
    np.testing.assert_allclose(found.row_cosine, [1, 1], rtol=1e-6)
    np.testing.assert_allclose(found.column_cosine, [1, 1], rtol=1e-6)


def test_no_candidates_give_no_answer() -> None:
    found = find(unit_vectors(3, 16, 10), np.zeros((0, 16), np.float32))
    assert found.row_index.tolist() == [-1, -1, -1]
    assert len(found.column_index) == 0


@pytest.mark.parametrize(
    ("source", "target", "row_keys", "column_keys"),
    [
        (np.ones((2, 16)), np.ones((2, 32)), [], []),
        (np.ones((2, 17)), np.ones((2, 17)), [], []),
        (np.ones((2, 16)), np.ones((2, 16)), [[1, 2]], []),
        (np.ones((2, 16)), np.ones((2, 16)), [[1, 2]], [[1]]),
        (np.ones((2, 16)), np.ones((2, 16)), [[1, 2]] * 4, [[1, 2]] * 4),
    ],
    ids=["widths differ", "width of no tile", "one side's key", "too few keys", "four keys"],
)
def test_arguments_that_do_not_fit_together_are_refused(
    source: Any, target: Any, row_keys: Any, column_keys: Any
) -> None:
    with pytest.raises(ValueError, match=r"width|key"):
        find(source.astype(np.float32), target.astype(np.float32), row_keys, column_keys)
