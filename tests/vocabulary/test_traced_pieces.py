"""A traced text has the ids of an encoded one, each with the word it comes from."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings

from calque.demo import sentences
from calque.vocabulary import Vocabulary, VocabularySpec, build_vocabulary
from calque.vocabulary.build import Kind, Sharing
from calque.vocabulary.pieces import spaced_words
from strategies import texts

SIZES: dict[Kind, int] = {"sp": 300, "word": 400, "trigram": 500}
VOCABULARIES = [(kind, sharing) for kind in SIZES for sharing in ("joint", "separate", "separate-unshared")]


@pytest.fixture(scope="module")
def vocabularies() -> dict[tuple[Kind, Sharing], Vocabulary]:
    labelled = [(language, line) for language in ("en", "es") for line in sentences()[language]]
    return {
        (kind, sharing): build_vocabulary(VocabularySpec(kind, SIZES[kind], sharing), lambda: labelled)
        for kind, sharing in VOCABULARIES
    }


@pytest.mark.parametrize("which", VOCABULARIES, ids="-".join)
@given(text=texts)
@example(text="A\u00a0dog\u3000runs\u2028fast\x85.")
@example(text=" \u0301\u00a0\u0301a\t\u0308 \u200d b")
@example(text="a\x1cb\x0bc\x0cd\u2009e")
@example(text="\ud83d \ude42 x\udfffy")
@example(text="a\u00a8b \ufdfa c")
@example(text="")
@settings(max_examples=100)
def test_the_known_pieces_are_those_of_the_encoded_text(
    vocabularies: dict[tuple[Kind, Sharing], Vocabulary], which: tuple[Kind, Sharing], text: str
) -> None:
    traced = vocabularies[which].trace(text, "es")
    known = [piece.row for piece in traced if piece.row is not None]
    assert known == vocabularies[which].encode([text], "es")[0].tolist()
    words = [piece.word for piece in traced]
    assert words == sorted(words)
    assert not words or words[-1] < len(spaced_words(text))


@pytest.mark.parametrize("which", VOCABULARIES, ids="-".join)
def test_a_known_piece_is_called_as_its_row(
    vocabularies: dict[tuple[Kind, Sharing], Vocabulary], which: tuple[Kind, Sharing]
) -> None:
    vocabulary = vocabularies[which]
    names = vocabulary.pieces
    for piece in vocabulary.trace(sentences()["es"][0], "es"):
        assert piece.row is None or names[piece.row].removeprefix("es:") == piece.text


def test_pieces_know_their_words(vocabularies: dict[tuple[Kind, Sharing], Vocabulary]) -> None:
    text = "The dog, ☃ dog."
    pieces = vocabularies["sp", "joint"].trace(text)
    joined = ["".join(piece.text for piece in pieces if piece.word == word) for word in range(4)]
    assert joined == ["\u2581the", "\u2581dog,", "\u2581☃", "\u2581dog."]
    assert {piece.word for piece in pieces if piece.row is None} == {2}
    words = vocabularies["word", "joint"].trace(text)
    assert [(piece.text, piece.word) for piece in words] == [
        *(("the", 0), ("dog", 1), (",", 1), ("☃", 2)),
        *(("dog", 3), (".", 3)),
    ]
    assert [piece.text for piece in words if piece.row is None] == ["☃"]


def test_a_trigram_belongs_to_the_word_of_its_middle_character(
    vocabularies: dict[tuple[Kind, Sharing], Vocabulary],
) -> None:
    traced = vocabularies["trigram", "joint"].trace("A  ☃ at")
    assert [(piece.text, piece.word) for piece in traced] == [
        *((" a ", 0), ("a ☃", 1), (" ☃ ", 1)),
        *(("☃ a", 2), (" at", 2), ("at ", 2)),
    ]
    assert [piece.text for piece in traced if piece.row is None] == ["a ☃", " ☃ ", "☃ a"]
