"""Sentences in one flat array say the same as plain lists."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from calque.vocabulary import Tokens
from calque.vocabulary.tokens import id_type

sizes = st.sampled_from([1, 7, 1 << 16, (1 << 16) + 1, 1 << 20])


@st.composite
def sized_sentences(draw: st.DrawFn) -> tuple[list[list[int]], int]:
    size = draw(sizes)
    return draw(st.lists(st.lists(st.integers(0, size - 1), max_size=6))), size


def as_lists(tokens: Tokens) -> list[list[int]]:
    return [tokens[at].tolist() for at in range(len(tokens))]


@given(sized_sentences())
def test_lists_come_back_as_they_were(given_: tuple[list[list[int]], int]) -> None:
    sentences, size = given_
    tokens = Tokens.from_lists(sentences, size)
    assert as_lists(tokens) == sentences
    assert len(tokens) == len(sentences)


@given(sized_sentences(), st.integers(0, 8))
def test_an_id_can_be_left_out(given_: tuple[list[list[int]], int], left_out: int) -> None:
    sentences, size = given_
    tokens = Tokens.from_lists(sentences, size).without(left_out)
    assert as_lists(tokens) == [[id for id in sentence if id != left_out] for sentence in sentences]


@given(st.lists(st.lists(st.lists(st.integers(0, 99), max_size=4), max_size=4), max_size=4))
def test_parts_can_be_put_one_after_the_other(parts: list[list[list[int]]]) -> None:
    tokens = Tokens.concatenate((Tokens.from_lists(part, 100) for part in parts), 100)
    assert as_lists(tokens) == [sentence for part in parts for sentence in part]
    assert tokens.ids.dtype == np.uint16


@given(st.lists(st.lists(st.integers(0, 4), max_size=6)), sizes)
def test_ids_can_be_renamed(sentences: list[list[int]], size: int) -> None:
    rows = np.array([(size - 1) // (row + 1) for row in range(5)], np.uint32)
    tokens = Tokens.from_lists(sentences, 5).renamed(rows, size)
    assert as_lists(tokens) == [[int(rows[id]) for id in sentence] for sentence in sentences]
    assert tokens.ids.dtype == id_type(size)


@pytest.mark.parametrize(("size", "bytes_each"), [(1, 2), (65_536, 2), (65_537, 4), (1_000_000, 4)])
def test_a_token_takes_two_bytes_where_the_vocabulary_allows(size: int, bytes_each: int) -> None:
    assert Tokens.from_lists([[0, size - 1]], size).ids.itemsize == bytes_each


def test_a_sentence_is_a_view_and_not_a_copy() -> None:
    tokens = Tokens.from_lists([[1, 2], [3]], 10)
    assert np.shares_memory(tokens[0], tokens.ids)


@given(sized_sentences(), st.data())
def test_sentences_can_be_taken_by_number_in_any_order_and_more_than_once(
    given_: tuple[list[list[int]], int], data: st.DataObject
) -> None:
    sentences, size = given_
    numbers = data.draw(st.lists(st.integers(0, len(sentences) - 1), max_size=9)) if sentences else []
    tokens = Tokens.from_lists(sentences, size)
    taken = tokens.take(np.array(numbers, np.uint32))
    assert as_lists(taken) == [sentences[number] for number in numbers]
    assert taken.ids.dtype == tokens.ids.dtype
