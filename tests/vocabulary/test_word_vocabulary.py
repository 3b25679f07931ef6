"""Words: the most frequent ones, counted the slow way."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calque.errors import CorpusError
from calque.vocabulary import VocabularySpec, build_vocabulary
from calque.vocabulary.normalise import normalise
from calque.vocabulary.words import WordVocabulary

texts_with_repeats = st.lists(
    st.lists(st.sampled_from(["a", "B", "b", "Cat", "cat.", "don't", "¿qué?", "漢字", "x-y", "１"]), max_size=9).map(
        " ".join
    ),
    max_size=9,
)


def slow_words(text: str) -> list[str]:
    """Runs of letters, digits and underscores; each other sign that is no space, alone."""
    words: list[str] = []
    within = False
    for character in normalise(text):
        if within and re.match(r"\w", character):
            words[-1] += character
        elif not character.isspace():
            words.append(character)
        within = bool(re.match(r"\w", character))
    return words


def slow_most_frequent(texts: list[str], size: int) -> list[str]:
    counts = Counter(word for text in texts for word in slow_words(text))
    return sorted(counts, key=lambda word: (-counts[word], word))[:size]


def train(texts: list[str], size: int) -> WordVocabulary:
    vocabulary = build_vocabulary(VocabularySpec("word", size), lambda: ((None, text) for text in texts))
    assert isinstance(vocabulary, WordVocabulary)
    return vocabulary


@given(texts_with_repeats, st.integers(1, 12))
def test_the_most_frequent_words_are_kept_and_ties_are_alphabetical(texts: list[str], size: int) -> None:
    if any(text.split() for text in texts):
        assert train(texts, size).pieces == slow_most_frequent(texts, size)


@given(texts_with_repeats, st.lists(st.text()))
def test_a_text_s_ids_are_those_of_its_known_words_in_order(corpus: list[str], texts: list[str]) -> None:
    vocabulary = train([*corpus, "the"], 6)
    tokens = vocabulary.encode(texts + corpus)
    for at, text in enumerate(texts + corpus):
        known = [word for word in slow_words(text) if word in vocabulary.pieces]
        assert [vocabulary.pieces[id] for id in tokens[at]] == known


@given(st.lists(st.text()), st.text())
def test_the_words_of_a_text_are_those_of_its_parts_between_spaces(corpus: list[str], text: str) -> None:
    vocabulary = train([*corpus, "the", text], 100)
    whole = vocabulary.encode([text])[0].tolist()
    parts = vocabulary.encode(text.split(" "))
    assert whole == parts.ids.tolist()


def test_size_says_how_many_at_the_most() -> None:
    assert train(["a b c d"], 3).size == 3
    assert train(["a b c d"], 200_000).size == 4


def test_case_and_compatible_forms_are_the_same() -> None:
    vocabulary = train(["the dog"], 10)
    assert vocabulary.encode(["ＴＨＥ\u3000Dog"])[0].tolist() == vocabulary.encode(["the dog"])[0].tolist()


@pytest.mark.parametrize("text", ["", "   ", "unheard", "\U0001f600", "\0"])
def test_text_of_nothing_known_has_no_ids(text: str) -> None:
    assert train(["the dog"], 10).encode([text])[0].tolist() == []


def test_a_lone_surrogate_counts_as_the_replacement_character() -> None:
    vocabulary = train(["the dog \ufffd"], 10)
    replaced = vocabulary.encode(["the \ufffd dog"])[0].tolist()
    assert len(replaced) == 3
    assert vocabulary.encode(["the \udcff dog"])[0].tolist() == replaced


def test_text_without_words_is_an_error() -> None:
    with pytest.raises(CorpusError, match="holds no words"):
        train([" ", "\u3000"], 10)
