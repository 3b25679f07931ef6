"""Starting from a model that was trained before: rows for new pieces, and rows that stay."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from calque.training.corpus import Part, TrainingCorpus
from calque.training.earlier_rows import added_rows, frozen_rows
from calque.vocabulary import Tokens
from calque.vocabulary.sentencepiece import SentencePieceVocabulary

WORDS = Counter({"the": 50, "dog": 20, "dogs": 9, "cat": 20, "cats": 9, "runs": 10, "sleeps": 10, "rarely": 1})


@pytest.fixture(scope="module")
def old() -> SentencePieceVocabulary:
    return SentencePieceVocabulary.train(WORDS, 20)


def rows_of(vocabulary: SentencePieceVocabulary) -> np.ndarray:
    rows = np.random.default_rng(1).standard_normal((vocabulary.size, 8), dtype=np.float32)
    rows[0] = 0
    return rows


def test_a_new_piece_begins_as_the_mean_of_what_it_was_cut_into(old: SentencePieceVocabulary) -> None:
    rows = rows_of(old)
    assert "\u2581cat" in old.pieces
    made = added_rows(rows, old, old.with_pieces([("\u2581catdog", -3.0)]), seed=1)
    np.testing.assert_array_equal(made[:-1], rows)
    np.testing.assert_allclose(made[-1], rows[old.cuts(["catdog"])[0]].mean(axis=0), rtol=1e-5)


def test_what_was_unknown_begins_at_random_and_as_long_as_other_rows(old: SentencePieceVocabulary) -> None:
    rows = 5 * rows_of(old)
    new = old.with_pieces((f"\u2581{chr(0x3B1 + at)}", -9.0) for at in range(20))
    made, again, other = (added_rows(rows, old, new, seed=seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(made, again)
    assert (made[old.size :] != other[old.size :]).all()
    lengths = np.linalg.norm(made, axis=1)
    assert np.median(lengths[old.size :]) == pytest.approx(np.median(lengths[1 : old.size]), rel=0.3)


def tokens(size: int, *sentences: list[int]) -> Tokens:
    return Tokens.from_lists(sentences, size)


def test_old_rows_learn_only_if_they_are_much_more_common_in_the_new_language(old: SentencePieceVocabulary) -> None:
    size = old.size + 2
    rare, common = int(np.argmin(old.scores)), 1 + int(np.argmax(old.scores[1:]))
    assert np.exp(old.scores[rare]) < 0.01
    english, greek = tokens(size, [rare] * 50, [common]), tokens(size, [rare, common], [common, size - 1])
    corpus = TrainingCorpus(english, greek, (Part(("en", "el"), 2),))
    learning = np.flatnonzero(~frozen_rows(old, size, corpus, 30, ["el"]))
    assert learning.tolist() == [rare, old.size, old.size + 1]


def test_only_the_sides_in_an_added_language_count(old: SentencePieceVocabulary) -> None:
    rare = int(np.argmin(old.scores))
    one, two = tokens(old.size, [rare], [1]), tokens(old.size, [1], [1])
    both = Part(("en-GB", "el"), 1), Part(("el", "en-GB"), 1)
    assert frozen_rows(old, old.size, TrainingCorpus(one, two, both), 30, ["el"]).all()
    assert not frozen_rows(old, old.size, TrainingCorpus(two, one, both), 30, ["ell"]).all()


def test_the_unknown_row_never_learns(old: SentencePieceVocabulary) -> None:
    corpus = TrainingCorpus(tokens(old.size, [0, 0]), tokens(old.size, [0, 0]), (Part(("en", "el"), 1),))
    assert frozen_rows(old, old.size, corpus, 0)[0]


def test_the_larger_the_factor_the_fewer_old_rows_learn(old: SentencePieceVocabulary) -> None:
    every = list(range(1, old.size))
    corpus = TrainingCorpus(tokens(old.size, every), tokens(old.size, every), (Part(None, 1),))
    learning = [int((~frozen_rows(old, old.size, corpus, times)).sum()) for times in (0, 0.5, 1, 3, 1000)]
    assert learning[0] == old.size - 1
    assert learning[-1] == 0
    assert learning == sorted(learning, reverse=True)
    assert len(set(learning)) > 2
