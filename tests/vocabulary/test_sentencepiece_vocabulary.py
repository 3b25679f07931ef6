"""SentencePiece pieces: as many as asked for, the same each time, and blind to case and form."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from calque.demo import sentences
from calque.errors import CorpusError, ModelError
from calque.vocabulary.sentencepiece import SentencePieceVocabulary


def words_of(*texts: str) -> Counter[str]:
    return Counter(word for text in texts for word in text.split())


ENGLISH_AND_SPANISH = words_of(*sentences()["en"], *sentences()["es"])


@pytest.fixture(scope="module")
def vocabulary() -> SentencePieceVocabulary:
    return SentencePieceVocabulary.train(ENGLISH_AND_SPANISH, 800)


def ids(vocabulary: SentencePieceVocabulary, text: str) -> list[int]:
    return list(vocabulary.encode([text])[0])


def offered_size(problem: CorpusError) -> int:
    found = re.search(r"--vocabulary-size (\d+)", str(problem.hint))
    assert found, f"no size to type in {problem.hint!r}"
    return int(found[1])


@pytest.mark.parametrize("size", [100, 101, 800, 2000])
def test_there_are_exactly_as_many_pieces_as_asked_for(size: int) -> None:
    made = SentencePieceVocabulary.train(ENGLISH_AND_SPANISH, size)
    assert made.size == len(made.pieces) == len(set(made.pieces)) == len(made.scores) == size


@pytest.mark.parametrize("size", [5_000, 200_000])
def test_asked_for_too_many_it_offers_a_number_that_works(size: int) -> None:
    with pytest.raises(CorpusError, match=rf"supports at most \d+ pieces, not {size}") as problem:
        SentencePieceVocabulary.train(ENGLISH_AND_SPANISH, size)
    offered = offered_size(problem.value)
    assert SentencePieceVocabulary.train(ENGLISH_AND_SPANISH, offered).size == offered


@pytest.mark.parametrize("size", [1, 5, 20])
def test_asked_for_too_few_it_offers_a_number_that_works(size: int) -> None:
    with pytest.raises(CorpusError, match=f"{size} pieces are fewer than the bitext's characters") as problem:
        SentencePieceVocabulary.train(ENGLISH_AND_SPANISH, size)
    offered = offered_size(problem.value)
    assert SentencePieceVocabulary.train(ENGLISH_AND_SPANISH, offered).size == offered


@settings(max_examples=25)
@given(st.lists(st.text(st.characters(codec="utf-8", categories=["L", "N", "P"]), min_size=1, max_size=9), min_size=1))
def test_a_text_supports_as_many_pieces_as_the_error_says(words: list[str]) -> None:
    with pytest.raises(CorpusError) as problem:
        SentencePieceVocabulary.train(Counter(words), 50_000)
    offered = offered_size(problem.value)
    assert SentencePieceVocabulary.train(Counter(words), offered).size == offered


def test_the_same_words_give_the_same_bytes(vocabulary: SentencePieceVocabulary) -> None:
    assert SentencePieceVocabulary.train(ENGLISH_AND_SPANISH, 800).model == vocabulary.model


def test_counts_say_what_the_sentences_would() -> None:
    twice = Counter({word: 2 * count for word, count in ENGLISH_AND_SPANISH.items()})
    repeated = words_of(*sentences()["en"] * 2, *sentences()["es"] * 2)
    assert SentencePieceVocabulary.train(twice, 300).pieces == SentencePieceVocabulary.train(repeated, 300).pieces


def test_very_many_words_are_counted_in_larger_units(monkeypatch: pytest.MonkeyPatch) -> None:
    often = Counter({word: 10 * count + 3 for word, count in ENGLISH_AND_SPANISH.items()})
    often["seldom"] = 9
    monkeypatch.setattr("calque.vocabulary.sentencepiece._MOST_OCCURRENCES", -(-often.total() // 10))
    made = SentencePieceVocabulary.train(often, 800)
    assert made.model == SentencePieceVocabulary.train(ENGLISH_AND_SPANISH, 800).model


def test_a_sentence_is_made_of_its_pieces(vocabulary: SentencePieceVocabulary) -> None:
    for text in sentences()["en"][:50]:
        joined = "".join(vocabulary.pieces[id] for id in ids(vocabulary, text))
        assert joined.replace("\u2581", " ").strip() == text.lower()


@given(st.text())
@example("\U0001f600\U0001f600 \u4e2d\u6587 <unk>")
def test_the_unknown_piece_is_never_produced(vocabulary: SentencePieceVocabulary, text: str) -> None:
    assert vocabulary.unknown not in ids(vocabulary, text)


@pytest.mark.parametrize("text", ["", " ", "\u3000", "\U0001f600", "漢字", "\U0001f600 漢字"])
def test_text_of_nothing_known_has_no_ids(text: str) -> None:
    latin = SentencePieceVocabulary.train(words_of("the dog runs", "the cat sleeps"), 16)
    assert set(ids(latin, text)) <= {latin.pieces.index("\u2581")}


@given(st.text(st.characters(max_codepoint=127)))
def test_case_does_not_matter(vocabulary: SentencePieceVocabulary, text: str) -> None:
    assert ids(vocabulary, text) == ids(vocabulary, text.upper()) == ids(vocabulary, text.lower())


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("Ｔｈｅ　ｄｏｇ", "the dog"),
        ("ﬁne ﬂour", "fine flour"),
        ("cafe\u0301", "café"),
        ("ÁRBOL", "árbol"),
        ("the\u00a0dog", "the dog"),
        ("  the \t  dog ", "the dog"),
        ("x²", "x2"),
    ],
)
def test_compatible_forms_are_the_same(vocabulary: SentencePieceVocabulary, text: str, same: str) -> None:
    assert ids(vocabulary, text) == ids(vocabulary, same) != []


def test_a_lone_surrogate_counts_as_the_replacement_character(vocabulary: SentencePieceVocabulary) -> None:
    assert ids(vocabulary, "the \ud800dog \udfff") == ids(vocabulary, "the \ufffddog \ufffd")


def test_a_text_with_a_surrogate_does_not_change_its_neighbours(vocabulary: SentencePieceVocabulary) -> None:
    tokens = vocabulary.encode(["the dog", "\udcff", "a cat"])
    assert [list(tokens[0]), list(tokens[2])] == [ids(vocabulary, "the dog"), ids(vocabulary, "a cat")]


def test_nul_does_not_end_a_text(vocabulary: SentencePieceVocabulary) -> None:
    assert ids(vocabulary, "dog\0 cat") == ids(vocabulary, "dog cat")
    assert ids(vocabulary, "dog\0cat") != ids(vocabulary, "dog")


@given(st.lists(st.text()))
def test_texts_do_not_depend_on_each_other_or_on_threads(vocabulary: SentencePieceVocabulary, texts: list[str]) -> None:
    together = vocabulary.encode(texts, threads=2)
    assert [list(sentence) for sentence in together] == [ids(vocabulary, text) for text in texts]


def test_a_piece_that_is_not_text_is_an_error(vocabulary: SentencePieceVocabulary) -> None:
    piece = max(vocabulary.pieces, key=len).encode()
    broken = SentencePieceVocabulary(vocabulary.model.replace(piece, b"\xff" * len(piece)))
    with pytest.raises(ModelError, match="a piece that is not UTF-8"):
        broken.pieces  # noqa: B018 (asked for, and so looked at)
