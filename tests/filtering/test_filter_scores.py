"""Cosine and margin of pairs against slow twins, and what makes a margin fall."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from calque.corpus import Pair
from calque.demo import sentences
from calque.errors import UsageError
from calque.filtering import Cosine, Margin, score_named
from calque.filtering.halves import halves_of
from calque.filtering.pool import NEAREST, Pool
from calque.model import Model

PAIRS = [Pair(*pair) for pair in zip(sentences()["en"], sentences()["es"], strict=True)]


def slow_margin(model: Model, pair: Pair, pool: list[Pair]) -> float:
    others = [other for other in pool if other.source != pair.source and other.target != pair.target]

    def nearest(text: str, side: int) -> float:
        found = sorted((model.similarity(text, other[side]) for other in others), reverse=True)[:NEAREST]
        return sum(found) / len(found) if found else 0.0

    halves = [(half, side) for side in (0, 1) for (half,) in halves_of([pair[side]])]
    rivals = [model.similarity(half, pair[1 - side]) for half, side in halves]
    rivals += [nearest(pair.source, 1), nearest(pair.target, 0)]
    return model.similarity(*pair) - 0.75 * max(0.0, *rivals)


def test_a_margin_is_the_cosine_less_three_quarters_of_the_strongest_rival_s(small_model: Model) -> None:
    pool = PAIRS[:60]
    pairs = [*PAIRS[50:70], Pair(PAIRS[0].source, PAIRS[80].target), Pair("dog", ""), Pair("", "")]
    expected = [slow_margin(small_model, pair, pool) for pair in pairs]
    np.testing.assert_allclose(Margin(small_model, pool).score(pairs), expected, atol=2e-5)


def test_a_cosine_is_the_model_s(small_model: Model) -> None:
    expected = [small_model.similarity(*pair) for pair in PAIRS[:20]]
    np.testing.assert_allclose(Cosine(small_model).score(PAIRS[:20]), expected, atol=1e-6)


def test_without_others_only_a_pair_s_halves_are_its_rivals(small_model: Model) -> None:
    expected = [slow_margin(small_model, pair, []) for pair in PAIRS[:9]]
    np.testing.assert_allclose(Margin(small_model, []).score(PAIRS[:9]), expected, atol=1e-5)


def test_being_in_the_pool_itself_does_a_pair_no_harm(small_model: Model) -> None:
    (pair, *others) = PAIRS[:40]
    with_it, without = Margin(small_model, [pair, pair, *others]), Margin(small_model, others)
    np.testing.assert_allclose(with_it.score([pair]), without.score([pair]), atol=1e-6)


def test_no_pairs_have_no_scores(small_model: Model) -> None:
    assert Margin(small_model, PAIRS[:9]).score([]).shape == (0,)
    assert Cosine(small_model).score([]).shape == (0,)


def test_a_score_that_does_not_exist_is_an_error_that_names_those_that_do(small_model: Model) -> None:
    with pytest.raises(UsageError, match="no score 'ratio'") as problem:
        score_named("ratio", small_model, [])
    assert problem.value.hint == "one of margin, cosine"


@settings(max_examples=30)
@given(st.integers(0, 9), st.integers(0, 1200), st.integers(0, 2**32 - 1))
def test_nearness_in_a_pool_is_that_of_a_slow_twin(size: int, count: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    pool = [Pair(f"source {at}", f"target {at}") for at in range(size)]
    inside = {text: random.standard_normal(8) for pair in pool for text in pair}
    unit = {text: (vector / np.linalg.norm(vector)).astype(np.float32) for text, vector in inside.items()}
    names = [[f"{side} {at}" for at in random.integers(0, max(2 * size, 1), count)] for side in ("source", "target")]
    vectors = [random.standard_normal((count, 8)).astype(np.float32) for _ in names]
    made = Pool(pool, lambda texts, side: np.array([unit[text] for text in texts], np.float32).reshape(-1, 8))
    found = made.nearness(names, vectors)
    for at in random.integers(0, max(count, 1), 5 if count else 0):
        others = [pair for pair in pool if pair.source != names[0][at] and pair.target != names[1][at]]
        for side in (0, 1):
            best = sorted((float(vectors[side][at] @ unit[pair[1 - side]]) for pair in others), reverse=True)[:NEAREST]
            # A cosine is never below −1, which made-up vectors of any length may be.
            best = [value for value in best if value > -2]
            assert found[side][at] == pytest.approx(np.mean(best) if best else 0, abs=1e-5)


@given(st.lists(st.text()))
def test_two_halves_make_the_text(texts: list[str]) -> None:
    first, second = halves_of(texts)
    assert [one + two for one, two in zip(first, second, strict=True)] == texts


@pytest.mark.parametrize(
    ("text", "halves"),
    [
        ("A dog runs.", ("A dog", " runs.")),
        ("a bcdefgh", ("a", " bcdefgh")),
        ("abcdefgh i", ("abcdefgh", " i")),
        ("一二三四", ("一二", "三四")),
        ("x", ("", "x")),
        ("", ("", "")),
    ],
)
def test_a_text_is_cut_at_the_space_nearest_to_its_middle(text: str, halves: tuple[str, str]) -> None:
    assert tuple(half for (half,) in halves_of([text])) == halves
