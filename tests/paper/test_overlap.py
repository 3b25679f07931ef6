"""The share of one language's pieces that another has, too."""

from __future__ import annotations

from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calque.corpus import Pair
from calque.demo import sentences
from calque.paper.overlap import piece_overlap
from calque.tasks.stats import piece_overlap as of_pairs
from calque.vocabulary import Sharing, Tokens, Vocabulary, VocabularySpec, build_vocabulary

SIZE = 20
PIECES = 900  # that any version of SentencePiece finds in the text
rows = st.lists(st.lists(st.integers(0, SIZE - 1), max_size=6), max_size=6)


def tokens(*texts: list[int]) -> Tokens:
    return Tokens.from_lists(texts, SIZE)


def build(one: str, two: str, sharing: Sharing) -> Vocabulary:
    text = sentences()
    spec = VocabularySpec("sp", PIECES, sharing)
    return build_vocabulary(spec, lambda: ((language, line) for language in (one, two) for line in text[language]))


def test_types_count_once_and_tokens_as_often_as_they_occur() -> None:
    found = piece_overlap(tokens([1, 1, 1, 2], [3, 4]), tokens([1], [4, 9, 9]))
    assert found.types == 2 / 4
    assert found.tokens == 4 / 6


@given(rows, rows)
def test_the_overlap_is_that_of_sets_and_lists(source: list[list[int]], target: list[list[int]]) -> None:
    found = piece_overlap(tokens(*source), tokens(*target))
    one, two = list(chain(*source)), list(chain(*target))
    assert found.types == len({*one} & {*two}) / max(len({*one}), 1)
    assert found.tokens == sum(row in two for row in one) / max(len(one), 1)


def test_it_is_the_first_text_that_is_looked_up_in_the_second() -> None:
    few, many = tokens([1, 2]), tokens([1, 2, 3, 4])
    assert piece_overlap(few, many).types == 1
    assert piece_overlap(many, few).types == 0.5


def test_no_text_overlaps_with_nothing() -> None:
    assert piece_overlap(tokens(), tokens([1])).types == 0
    assert piece_overlap(tokens([1]), tokens([])).tokens == 0


@pytest.mark.parametrize("other", ["es", "de", "fr"])
def test_separate_vocabularies_give_what_stats_finds_in_the_pairs(other: str) -> None:
    text = sentences()
    vocabulary = build("en", other, "separate")
    found = piece_overlap(*(vocabulary.encode(text[language], language) for language in ("en", other)))
    expected = of_pairs(list(map(Pair, text["en"], text[other])), PIECES, threads=1)
    assert expected is not None
    assert (found.types, found.tokens) == (expected.share, expected.token_share)
    assert 0 < found.types < 1


def test_languages_that_share_nothing_have_no_overlap() -> None:
    vocabulary = build("en", "es", "separate-unshared")
    found = piece_overlap(*(vocabulary.encode(sentences()[language], language) for language in ("en", "es")))
    assert (found.types, found.tokens) == (0, 0)
