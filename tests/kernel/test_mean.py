"""A sentence's vector is the mean of its rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from twins import flat, means

from calque import _kernel
from strategies import id_lists


def table(rows: int, dimension: int) -> Any:
    return np.random.default_rng(rows + dimension).standard_normal((rows, dimension), dtype=np.float32)


def mean(embeddings: Any, ids: Any, offsets: Any, threads: int = 1) -> Any:
    out = np.full((len(offsets) - 1, embeddings.shape[1]), np.nan, np.float32)
    _kernel.mean(embeddings, ids, offsets, out, threads)
    return out


@given(
    sentences=id_lists(30),
    dimension=st.one_of(st.integers(16, 100), st.sampled_from([128, 300, 319, 320, 321, 336, 641, 1024])),
    type=st.sampled_from([np.uint16, np.uint32]),
    threads=st.integers(1, 3),
)
def test_mean_agrees_with_numpy_for_every_dimension_and_type_of_id(
    sentences: list[list[int]], dimension: int, type: Any, threads: int
) -> None:
    embeddings = table(30, dimension)
    found = mean(embeddings, *flat(sentences, type), threads)
    np.testing.assert_allclose(found, means(embeddings, sentences), rtol=0, atol=1e-5)


def test_an_empty_sentence_has_the_zero_vector() -> None:
    found = mean(table(4, 48), *flat([[], [1], []]))
    assert not found[0].any()
    assert found[1].any()
    assert not found[2].any()


@pytest.mark.parametrize("length", [1023, 1024, 1025, 2048, 5000])
def test_a_long_sentence_has_the_mean_of_all_its_rows(length: int) -> None:
    embeddings = table(300, 40)
    sentences = [[number * number % 300 for number in range(length)]] * 2
    np.testing.assert_allclose(mean(embeddings, *flat(sentences)), means(embeddings, sentences), rtol=0, atol=1e-5)


def test_no_sentences_give_no_vectors() -> None:
    assert mean(table(4, 16), *flat([])).shape == (0, 16)


def test_ids_beyond_65535_reach_their_rows() -> None:
    embeddings = np.zeros((70_000, 16), np.float32)
    embeddings[69_999] = 1
    assert (mean(embeddings, *flat([[69_999]], np.uint32)) == 1).all()


def test_many_sentences_are_all_found_by_many_threads() -> None:
    embeddings = table(50, 40)
    sentences = [[number % 50] * (number % 3 + 1) for number in range(1000)]
    expected = embeddings[[number % 50 for number in range(1000)]]
    np.testing.assert_allclose(mean(embeddings, *flat(sentences), threads=8), expected, rtol=1e-6)


@pytest.mark.parametrize("type", [np.uint16, np.uint32])
def test_an_id_outside_the_table_is_refused(type: Any) -> None:
    with pytest.raises(ValueError, match="outside the table"):
        mean(table(4, 16), *flat([[0, 3], [4]], type))


@pytest.mark.parametrize("type", [np.int32, np.int64, np.uint8, np.float32])
def test_ids_of_another_type_are_refused(type: Any) -> None:
    with pytest.raises(ValueError, match="uint16 or uint32"):
        mean(table(4, 16), *flat([[0, 3]], type))


@pytest.mark.parametrize(
    "offsets", [[0, 1, 2], [1, 2, 3], [0, 4], [0, 2, 1, 3], []], ids=["short", "late", "long", "falling", "none"]
)
def test_offsets_that_do_not_cover_the_ids_are_refused(offsets: list[int]) -> None:
    out = np.zeros((max(len(offsets) - 1, 0), 16), np.float32)
    with pytest.raises(ValueError, match=r"offsets|shape"):
        _kernel.mean(table(4, 16), np.array([0, 1, 2], np.uint16), np.array(offsets, np.uint64), out, 1)


def test_a_table_narrower_than_a_tile_is_refused() -> None:
    with pytest.raises(ValueError, match="16"):
        mean(table(4, 15), *flat([[0]]))


@pytest.mark.parametrize("shape", [(2, 16), (1, 17), (0, 16)])
def test_out_of_another_shape_is_refused(shape: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match="shape"):
        _kernel.mean(table(4, 16), *flat([[0]]), np.zeros(shape, np.float32), 1)


@pytest.mark.parametrize(
    "out", [np.zeros((1, 16)), np.zeros((1, 32), np.float32)[:, ::2]], ids=["float64", "not contiguous"]
)
def test_out_that_could_only_be_written_through_a_copy_is_refused(out: Any) -> None:
    with pytest.raises((TypeError, ValueError)):
        _kernel.mean(table(4, 16), *flat([[1]]), out, 1)
