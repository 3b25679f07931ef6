"""Nearest neighbours of both sides at once, against a full product that is sorted."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from calque.errors import UsageError
from calque.neighbours import Neighbours, nearest


def exact_vectors(count: int, width: int, seed: int) -> Any:
    """Eighths of −1, 0 or 1: their products are the same in whatever order they are added, and full of ties."""
    return np.random.default_rng(seed).integers(-1, 2, (count, width)).astype(np.float32) / 8


def unit_vectors(count: int, width: int, seed: int) -> Any:
    vectors = np.random.default_rng(seed).standard_normal((count, width)).astype(np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def sorted_product(source: Any, target: Any, k: int) -> Neighbours:
    """The slow twin, for exact vectors: 64 times their products are small whole numbers."""
    products = np.rint(64 * (source @ target.T)).astype(np.int16)
    order = np.argsort(-products, axis=1, kind="stable")[:, :k].astype(np.int32)
    index, cosine = np.full((len(source), k), -1, np.int32), np.full((len(source), k), -2, np.float32)
    index[:, : order.shape[1]] = order
    cosine[:, : order.shape[1]] = np.take_along_axis(products, order, axis=1) / np.float32(64)
    return Neighbours(index, cosine)


def assert_neighbours(found: Neighbours, expected: Neighbours) -> None:
    np.testing.assert_array_equal(found.index, expected.index)
    np.testing.assert_array_equal(found.cosine, expected.cosine)


def assert_both_ways(source: Any, target: Any, k: int, threads: int = 1) -> None:
    found = nearest(source, target, k, threads)
    assert_neighbours(found.forward, sorted_product(source, target, k))
    assert_neighbours(found.backward, sorted_product(target, source, k))


@given(
    sources=st.integers(0, 40),
    targets=st.integers(0, 40),
    width=st.sampled_from([1, 2, 15, 16, 17]),
    k=st.sampled_from([1, 2, 4, 60]),
    seed=st.integers(0, 1 << 20),
)
@settings(max_examples=150)
def test_both_ways_agree_with_a_sorted_product_and_ties_go_to_the_earlier(
    sources: int, targets: int, width: int, k: int, seed: int
) -> None:
    source, target = exact_vectors(sources, width, seed), exact_vectors(targets, width, seed + 1)
    for threads in (1, 2, 3):
        assert_both_ways(source, target, k, threads)


@pytest.mark.parametrize(
    ("sources", "targets", "width", "threads"),
    [(1023, 4097, 1, 1), (1024, 4096, 15, 2), (1025, 4095, 16, 3), (2049, 17, 17, 2), (17, 8193, 17, 2)],
)
def test_nothing_is_lost_where_blocks_meet(sources: int, targets: int, width: int, threads: int) -> None:
    assert_both_ways(exact_vectors(sources, width, 1), exact_vectors(targets, width, 2), 4, threads)


def test_equal_vectors_are_found_in_their_order_across_blocks() -> None:
    one = np.eye(1, 16, dtype=np.float32)
    found = nearest(np.repeat(one, 1030, axis=0), np.repeat(one, 4100, axis=0), k=3)
    assert (found.forward.index == [0, 1, 2]).all()
    assert (found.backward.index == [0, 1, 2]).all()


@pytest.mark.parametrize("width", [1, 15, 16, 17, 300])
def test_cosines_of_unit_vectors_are_the_highest_there_are(width: int) -> None:
    source, target = unit_vectors(200, width, 1), unit_vectors(300, width, 2)
    found, cosines = nearest(source, target, 4), source @ target.T
    for neighbours, exact in ((found.forward, cosines), (found.backward, cosines.T)):
        np.testing.assert_allclose(neighbours.cosine, -np.sort(-exact, axis=1)[:, :4], atol=1e-6)
        np.testing.assert_allclose(neighbours.cosine, np.take_along_axis(exact, neighbours.index, 1), atol=1e-6)


def test_where_there_are_fewer_than_k_the_rest_is_marked() -> None:
    found = nearest(unit_vectors(1, 4, 1), unit_vectors(2, 4, 2), k=4)
    assert found.forward.index[0, 2:].tolist() == [-1, -1]
    assert found.backward.index[:, 0].tolist() == [0, 0]
    assert (found.backward.index[:, 1:] == -1).all()


def test_the_mean_is_over_the_neighbours_there_are() -> None:
    source = np.array([[1, 0]], np.float32)
    target = np.array([[1, 0], [0, 1]], np.float32)
    found = nearest(source, target, k=4)
    assert found.forward.mean.tolist() == [0.5]
    assert found.backward.mean.tolist() == [1, 0]


@pytest.mark.parametrize(("sources", "targets"), [(0, 3), (3, 0), (0, 0)])
def test_a_side_without_vectors_has_no_neighbours(sources: int, targets: int) -> None:
    found = nearest(unit_vectors(sources, 16, 1), unit_vectors(targets, 16, 2), k=2)
    assert found.forward.index.shape == (sources, 2)
    assert found.backward.index.shape == (targets, 2)
    assert (found.forward.index == -1).all()
    assert (found.backward.index == -1).all()
    assert found.forward.mean.tolist() == [0] * sources


def test_a_zero_vector_is_equally_far_from_all() -> None:
    target = unit_vectors(5, 16, 1)
    found = nearest(np.zeros((1, 16), np.float32), target, k=3)
    assert found.forward.index.tolist() == [[0, 1, 2]]
    assert found.forward.cosine.tolist() == [[0, 0, 0]]


def test_turning_round_swaps_the_sides() -> None:
    source, target = exact_vectors(9, 16, 1), exact_vectors(7, 16, 2)
    there, back = nearest(source, target, 3), nearest(target, source, 3).turned
    assert_neighbours(there.forward, back.forward)
    assert_neighbours(there.backward, back.backward)


def test_no_threads_at_all_are_a_mistake() -> None:
    with pytest.raises(UsageError, match="threads: expected 1 or more, got 0"):
        nearest(unit_vectors(1, 4, 1), unit_vectors(1, 4, 2), threads=0)
