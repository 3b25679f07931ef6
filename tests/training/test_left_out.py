"""Sentences of plain text without some of their words."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from calque.training.corpus import Sides
from calque.training.left_out import with_words_left_out
from calque.vocabulary import Tokens

ROWS = 40
BEGINS = np.arange(ROWS) % 3 == 0  # two rows of three go on with a word

sentences = st.lists(st.lists(st.integers(0, ROWS - 1), min_size=1, max_size=12), min_size=1, max_size=20)


def sides_of(texts: list[list[int]]) -> Sides:
    return Sides(Tokens.from_lists(texts, ROWS), Tokens.from_lists(texts, ROWS))


def words(tokens: Any) -> list[tuple[int, ...]]:
    """The words of a sentence; its first token begins one, whatever it is."""
    found: list[list[int]] = []
    for token in tokens.tolist():
        if BEGINS[token] or not found:
            found.append([])
        found[-1].append(token)
    return [tuple(word) for word in found]


def thinned(sides: Sides, share: float = 0.4, seed: int = 1, chosen: Any = None) -> Sides:
    every = np.ones(len(sides.source), np.bool_) if chosen is None else chosen
    return with_words_left_out(sides, every, BEGINS, share, np.random.default_rng(seed))


def is_part_of(some: list[tuple[int, ...]], whole: list[tuple[int, ...]]) -> bool:
    rest = iter(whole)
    return all(word in rest for word in some)


@given(sentences, st.floats(0, 0.99), st.integers(0, 5))
def test_a_sentence_keeps_some_of_its_words_whole_and_in_order(texts: list[list[int]], share: float, seed: int) -> None:
    sides = sides_of(texts)
    for side in thinned(sides, share, seed):
        assert len(side) == len(texts)
        for number, text in enumerate(texts):
            left = side[number].tolist()
            assert left
            assert is_part_of([(token,) for token in left], [(token,) for token in text])
            whole = words(sides.source[number])
            if BEGINS[text[0]]:  # words can be told where the first that is left begins with its own first piece
                assert is_part_of(words(side[number]), whole)


@given(sentences, st.data())
def test_only_the_chosen_pairs_lose_words(texts: list[list[int]], data: st.DataObject) -> None:
    chosen = np.array(data.draw(st.lists(st.booleans(), min_size=len(texts), max_size=len(texts))))
    sides = sides_of(texts)
    for side in thinned(sides, 0.9, chosen=chosen):
        for number in np.flatnonzero(~chosen):
            assert side[number].tolist() == texts[number]


def test_the_share_is_that_of_all_words_and_the_sides_lose_different_ones() -> None:
    texts = [list(range(0, 30, 3)) for _ in range(2_000)]
    source, target = thinned(sides_of(texts), 0.4)
    assert abs(len(source.ids) / 20_000 - 0.6) < 0.02
    assert sum(source[number].tolist() == target[number].tolist() for number in range(2_000)) < 40


def test_nothing_is_left_out_for_a_share_of_zero_and_one_word_stays_of_a_share_of_nearly_all() -> None:
    texts = [[0, 3, 6, 9]] * 50
    assert thinned(sides_of(texts), 0.0).source.ids.tolist() == [0, 3, 6, 9] * 50
    left = thinned(sides_of(texts), 0.999).source
    assert len(left) == 50
    assert len(set(left.ids.tolist())) == 4  # any of them, not always the first


def test_the_same_draw_leaves_out_the_same_words() -> None:
    sides = sides_of([[0, 3, 6, 9, 12]] * 20)
    one, same, other = (thinned(sides, seed=seed).source.ids.tolist() for seed in (1, 1, 2))
    assert one == same != other
