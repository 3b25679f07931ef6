"""The hardest negatives of vectors that somebody else has computed: the same rules as the kernel's own training."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tiny import random_sentences
from twins import hardest

from calque.training.negatives import hardest_negatives
from calque.vocabulary import Tokens


def excluded(texts: list[tuple[int, ...]], monolingual: bool, exclude_repeats: bool) -> np.ndarray:
    """Which of all sentences, sources then targets, may not be the negative of which, said as DESIGN says it."""
    pairs, every = len(texts) // 2, range(len(texts))

    def same(one: int, two: int) -> bool:
        if not exclude_repeats:
            return one == two
        return texts[one] == texts[two] and (monolingual or (one < pairs) == (two < pairs))

    def partner(one: int) -> int:
        return (one + pairs) % len(texts)

    def barred(one: int, two: int) -> bool:
        if not monolingual and (one < pairs) == (two < pairs):
            return True
        return same(one, two) or same(partner(one), two) or same(one, partner(two))

    return np.array([[barred(one, two) for two in every] for one in every])


@given(
    seed=st.integers(0, 1 << 20),
    pairs=st.integers(1, 20),
    rows=st.sampled_from([2, 50]),
    dimension=st.sampled_from([6, 16, 20]),
)
@settings(max_examples=60)
@pytest.mark.parametrize("monolingual", [False, True])
@pytest.mark.parametrize("exclude_repeats", [False, True])
def test_negatives_are_the_twins(
    seed: int, pairs: int, rows: int, dimension: int, monolingual: bool, exclude_repeats: bool
) -> None:
    sentences = random_sentences(2 * pairs, rows, seed, longest=2)
    vectors = np.random.default_rng(seed).integers(-9, 10, (2 * pairs, dimension)).astype(np.float32)
    barred = excluded([tuple(each) for each in sentences], monolingual, exclude_repeats)
    expected = hardest(vectors, vectors, barred).row_index
    for threads in (1, 2):
        found = hardest_negatives(
            vectors,
            Tokens.from_lists(sentences, rows),
            monolingual=monolingual,
            exclude_repeats=exclude_repeats,
            threads=threads,
        )
        np.testing.assert_array_equal(found, expected)
