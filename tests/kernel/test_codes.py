"""Vectors as 8-bit codes: what is said about their error is never too little, and what does not fit is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from calque import _kernel


def coded(vectors: Any, width: int) -> tuple[Any, Any]:
    codes, about = np.full((len(vectors), width), 99, np.int8), np.full((len(vectors), 3), np.nan, np.float32)
    _kernel.code_rows(vectors, codes, about, 2)
    return codes, about


@given(
    count=st.integers(1, 20),
    width=st.sampled_from([1, 2, 15, 16, 17, 300, 2000]),
    power=st.integers(-3, 3),
    seed=st.integers(0, 1 << 20),
)
@settings(max_examples=150)
def test_error_and_length_are_bounds_that_hold_and_are_tight(count: int, width: int, power: int, seed: int) -> None:
    draw = np.random.default_rng(seed)
    vectors = (draw.standard_normal((count, width)) * 10.0**power).astype(np.float32)
    vectors[0] = 0
    codes, about = coded(vectors, -(-width // 16) * 16)
    rebuilt = about[:, :1].astype(float) * codes[:, :width]
    error = np.linalg.norm(vectors - rebuilt, axis=1)
    length = np.linalg.norm(rebuilt, axis=1)
    assert (error <= about[:, 1]).all()
    assert (length <= about[:, 2]).all()
    whole = np.linalg.norm(vectors, axis=1)
    assert (about[:, 1] <= 1.001 * error + 2e-6 * whole).all()
    assert (about[:, 2] <= 1.001 * length).all()
    assert (np.abs(vectors - rebuilt) <= 0.501 * about[:, :1]).all()
    assert not codes[:, width:].any()
    assert not codes[0].any()


def test_what_is_not_a_number_or_beyond_all_measure_gets_no_codes() -> None:
    vectors = np.array([[np.nan] * 16, [np.inf] * 16, [1e-40] * 16], np.float32)
    codes, _ = coded(vectors, 16)
    assert not codes.any()


def places(queries: int = 1, k: int = 2) -> tuple[Any, Any]:
    return np.full((queries, k), -2, np.float32), np.full((queries, k), -1, np.int32)


@pytest.mark.parametrize(
    ("vectors", "codes", "about"),
    [
        ((3, 20), (3, 16), (3, 3)),
        ((3, 20), (3, 33), (3, 3)),
        ((3, 20), (2, 32), (3, 3)),
        ((3, 20), (3, 32), (2, 3)),
        ((3, 20), (3, 32), (3, 4)),
        ((3, 0), (3, 16), (3, 3)),
        ((1, 8193), (1, 8208), (1, 3)),
    ],
    ids=["narrow", "odd width", "few codes", "few abouts", "wide about", "no columns", "too wide"],
)
def test_shapes_that_do_not_fit_are_refused(vectors: Any, codes: Any, about: Any) -> None:
    arrays = np.zeros(vectors, np.float32), np.zeros(codes, np.int8), np.zeros(about, np.float32)
    with pytest.raises(ValueError, match=r"columns|multiples of 16|three numbers"):
        _kernel.code_rows(*arrays, 1)
    with pytest.raises(ValueError, match=r"columns|multiples of 16|three numbers|width"):
        _kernel.scan(np.zeros((1, vectors[1]), np.float32), *arrays, None, *places(), 1)


@pytest.mark.parametrize(
    ("queries", "deleted", "cosine", "index"),
    [
        ((1, 17), None, (1, 2), (1, 2)),
        ((1, 16), 4, (1, 2), (1, 2)),
        ((1, 16), None, (2, 2), (1, 2)),
        ((1, 16), None, (1, 2), (1, 3)),
        ((1, 16), None, (1, 0), (1, 0)),
    ],
    ids=["queries", "marks", "places", "k differs", "no k"],
)
def test_a_scan_that_does_not_fit_is_refused(queries: Any, deleted: int | None, cosine: Any, index: Any) -> None:
    vectors = np.zeros((5, 16), np.float32)
    codes, about = coded(vectors, 16)
    marks = None if deleted is None else np.zeros(deleted, np.uint8)
    with pytest.raises(ValueError, match=r"differ in width|a mark a vector|k places"):
        _kernel.scan(
            np.zeros(queries, np.float32),
            vectors,
            codes,
            about,
            marks,
            np.zeros(cosine, np.float32),
            np.zeros(index, np.int32),
            1,
        )


@pytest.mark.parametrize("index", [-2, 5, 1 << 30])
def test_a_product_with_a_vector_that_is_not_there_is_refused(index: int) -> None:
    vectors = np.zeros((5, 16), np.float32)
    with pytest.raises(ValueError, match="no such vector"):
        _kernel.exact_products(vectors[:1], vectors, np.array([[index]], np.int32), np.zeros((1, 1), np.float32), 1)


def test_the_largest_sums_fit() -> None:
    """The widest vectors of the largest numbers of either sign: their product is a sum of 8,192 · 127 · 2,047."""
    vectors = np.full((4, 8192), 8192**-0.5, np.float32)
    vectors[1] *= -1
    codes, about = coded(vectors, 8192)
    cosine, index = places(2, 4)
    _kernel.scan(vectors[:2].copy(), vectors, codes, about, None, cosine, index, 1)
    assert index.tolist() == [[0, 2, 3, 1], [1, 0, 2, 3]]
    np.testing.assert_allclose(cosine, [[1, 1, 1, -1], [1, -1, -1, -1]], atol=1e-6)


def test_a_one_way_offer_keeps_the_best_of_each_row_across_blocks() -> None:
    cosines = np.random.default_rng(1).integers(-6, 7, (20, 75)).astype(np.float32) / 8
    cosine, index = places(20, 4)
    for column in range(0, 75, 32):
        _kernel.offer_one_way(np.ascontiguousarray(cosines[:, column : column + 32]), column, cosine, index, 2)
    order = np.argsort(-cosines, axis=1, kind="stable")[:, :4]
    np.testing.assert_array_equal(index, order)
    np.testing.assert_array_equal(cosine, np.take_along_axis(cosines, order, 1))


def test_a_one_way_offer_that_does_not_fit_is_refused() -> None:
    with pytest.raises(ValueError, match="k places a row"):
        _kernel.offer_one_way(np.zeros((3, 5), np.float32), 0, *places(2, 4), 1)
