"""Which sentences a pair's negatives are chosen from."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tiny import Tiny, random_rows
from twins import Sentences, hardest

MONOLINGUAL = pytest.mark.parametrize("monolingual", [False, True], ids=["bilingual", "monolingual"])


def negatives_of(pair: int, embeddings: Any, source: Sentences, target: Sentences, **settings: Any) -> set[int]:
    """The rows of its negatives, without those of the pair itself.

    A mini-batch of one pair is one step, so the rows that are current at the last step of a mega-batch are those that
    its last pair touched.
    """
    order = [*(other for other in range(len(source)) if other != pair), pair]
    tiny = Tiny(embeddings, source, target, batch_size=1, **settings)
    tiny.train(order, rate=0.0)
    return set(np.flatnonzero(tiny.current == len(order)).tolist()) - {*source[pair], *target[pair]}


def at_angles(*degrees: float) -> Any:
    """Vectors in one plane: what is near and what is far can be read off."""
    vectors = np.zeros((len(degrees), 16), np.float32)
    vectors[:, 0], vectors[:, 1] = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    return vectors


@MONOLINGUAL
def test_bilingual_negatives_come_from_the_other_side_and_monolingual_ones_from_both(monolingual: bool) -> None:
    source, target = [[0], [1], [2]], [[3], [4], [5]]
    rows = at_angles(0, 50, -5, 90, 95, 40)
    found = negatives_of(0, rows, source, target, monolingual=monolingual)
    assert found == ({2, 4} if monolingual else {5, 1})


@MONOLINGUAL
def test_a_pair_is_never_its_own_negative(monolingual: bool) -> None:
    source, target = [[0], [1]], [[2], [3]]
    rows = at_angles(0, 170, 1, 172)
    # Whatever else there is points the other way: row 1 is a little nearer than row 3.
    assert negatives_of(0, rows, source, target, monolingual=monolingual) == ({1} if monolingual else {1, 3})


@given(seed=st.integers(0, 1 << 20), count=st.integers(2, 20), exclude=st.booleans())
@settings(max_examples=50)
def test_bilingual_negatives_are_the_hardest_of_the_other_side(seed: int, count: int, exclude: bool) -> None:
    embeddings = random_rows(2 * count, seed=seed)
    source, target = [[row] for row in range(count)], [[count + row] for row in range(count)]
    best = hardest(embeddings[:count], embeddings[count:], np.eye(count, dtype=bool))
    expected = {count + int(best.row_index[0]), int(best.column_index[0])}
    assert negatives_of(0, embeddings, source, target, exclude_same_text=exclude) == expected


@given(seed=st.integers(0, 1 << 20), count=st.integers(2, 20), exclude=st.booleans())
@settings(max_examples=50)
def test_monolingual_negatives_are_the_hardest_of_both_sides(seed: int, count: int, exclude: bool) -> None:
    embeddings = random_rows(2 * count, seed=seed)
    source, target = [[row] for row in range(count)], [[count + row] for row in range(count)]
    pair = np.arange(2 * count) % count
    best = hardest(embeddings, embeddings, np.equal.outer(pair, pair))
    found = negatives_of(0, embeddings, source, target, monolingual=True, exclude_same_text=exclude)
    assert found == {int(best.row_index[0]), int(best.row_index[count])}


# One source with two translations, one target with two sources, and a pair of its own, far away.
A, B, C, X, Y, Z = range(6)
REPEATS = at_angles(0, 3, 90, 1, 2, 95)
REPEATED_SOURCES, REPEATED_TARGETS = [[A], [A], [B], [C]], [[X], [Y], [X], [Z]]


def test_repeats_of_the_true_translation_are_kept_out_when_asked() -> None:
    found = negatives_of(0, REPEATS, REPEATED_SOURCES, REPEATED_TARGETS, exclude_same_text=True)
    assert found == {C, Z}


def test_repeats_are_taken_for_negatives_when_not_asked() -> None:
    # The nearest to A is the other X, and the nearest to X is the other A: the pair's own rows.
    assert negatives_of(0, REPEATS, REPEATED_SOURCES, REPEATED_TARGETS, exclude_same_text=False) == set()
    assert negatives_of(1, REPEATS, REPEATED_SOURCES, REPEATED_TARGETS, exclude_same_text=False) == {X, B}


def test_monolingual_repeats_are_kept_out_on_whichever_side_they_stand() -> None:
    a, x, d, c, z = range(5)
    rows = at_angles(0, 1, 2, 90, 95)
    # Beside (a, x) there is (x, d): x is a's paraphrase, d is x's, and neither may be pushed away from it.
    found = negatives_of(0, rows, [[a], [x], [c]], [[x], [d], [z]], monolingual=True, exclude_same_text=True)
    assert found == {d, c}


def test_texts_of_the_same_pieces_in_the_same_order_are_the_same_text_and_others_are_not() -> None:
    rows = at_angles(0, 5, 10, 15, 60, 70)
    source, target = [[0, 1], [0, 1], [1, 0], [4]], [[2], [3], [2, 2], [5]]
    # Pair 1's target translates the same source; pair 2's source is another order, so its target may be a negative.
    assert negatives_of(0, rows, source, target, exclude_same_text=True) == set()
    assert negatives_of(0, rows, source[:2] + source[3:], target[:2] + target[3:], exclude_same_text=True) == {4, 5}


@MONOLINGUAL
def test_where_every_candidate_is_a_repeat_there_is_no_loss(monolingual: bool) -> None:
    settings = {"exclude_same_text": True, "monolingual": monolingual}
    tiny = Tiny(random_rows(2), [[0], [0], [0]], [[1], [1], [1]], **settings)
    assert tiny.train(range(3)) == 0
    np.testing.assert_array_equal(tiny.settled(), random_rows(2))
