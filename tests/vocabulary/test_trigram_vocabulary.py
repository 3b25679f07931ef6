"""Character trigrams: the most frequent ones, cut the slow way."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calque.errors import CorpusError
from calque.vocabulary import VocabularySpec, build_vocabulary
from calque.vocabulary.normalise import normalise
from calque.vocabulary.trigrams import TrigramVocabulary

texts = st.lists(st.text() | st.text("abB é\U0001f600", max_size=12))


def slow_trigrams(text: str) -> list[str]:
    framed = f" {normalise(text)} "
    return [framed[at : at + 3] for at in range(len(framed) - 2)]


def train(texts: list[str], size: int) -> TrigramVocabulary:
    vocabulary = build_vocabulary(VocabularySpec("trigram", size), lambda: ((None, text) for text in texts))
    assert isinstance(vocabulary, TrigramVocabulary)
    return vocabulary


@given(texts, st.integers(1, 20))
def test_the_most_frequent_trigrams_are_kept_and_ties_are_alphabetical(texts: list[str], size: int) -> None:
    texts = [*texts, "the dog"]
    counts = Counter(trigram for text in texts for trigram in slow_trigrams(text))
    assert train(texts, size).pieces == sorted(counts, key=lambda trigram: (-counts[trigram], trigram))[:size]


@given(texts, texts)
def test_a_text_s_ids_are_those_of_its_known_trigrams_in_order(corpus: list[str], texts: list[str]) -> None:
    vocabulary = train([*corpus, "the dog"], 30)
    tokens = vocabulary.encode(texts + corpus)
    assert len(tokens) == len(texts + corpus)
    for at, text in enumerate(texts + corpus):
        known = [trigram for trigram in slow_trigrams(text) if trigram in vocabulary.pieces]
        assert [vocabulary.pieces[id] for id in tokens[at]] == known


def test_a_trigram_may_span_a_space_but_not_two_texts() -> None:
    assert sorted(train(["ab c", "d"], 100).pieces) == [" ab", " c ", " d ", "ab ", "b c"]


def test_size_says_how_many_at_the_most() -> None:
    assert train(["abcdef"], 3).size == 3
    assert train(["abcdef"], 200_000).size == 6


def test_case_and_compatible_forms_are_the_same() -> None:
    vocabulary = train(["the dog"], 10)
    assert vocabulary.encode(["ＴＨＥ\u3000Dog"])[0].tolist() == vocabulary.encode(["the dog"])[0].tolist()


@pytest.mark.parametrize("text", ["", "   ", "xyz", "\U0001f600", "\0"])
def test_text_of_nothing_known_has_no_ids(text: str) -> None:
    assert train(["the dog"], 10).encode([text])[0].tolist() == []


def test_a_lone_surrogate_counts_as_the_replacement_character() -> None:
    vocabulary = train(["the \ufffddog"], 100)
    replaced = vocabulary.encode(["the \ufffddog"])[0].tolist()
    assert len(replaced) == 8
    assert vocabulary.encode(["the \udcffdog"])[0].tolist() == replaced


def test_no_texts_have_no_ids() -> None:
    assert len(train(["the dog"], 10).encode([])) == 0


def test_text_without_letters_is_an_error() -> None:
    with pytest.raises(CorpusError):
        train([" ", "\u3000"], 10)
