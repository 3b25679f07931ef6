"""Adding up remembered words gives what reading the whole text gives, whatever the text."""

from __future__ import annotations

import sys
import unicodedata

import numpy as np
import pytest
from hypothesis import example, given, settings

import calque
from calque.demo import sentences
from calque.encoder import AverageEncoder, random_embeddings
from calque.vocabulary import Vocabulary, VocabularySpec, build_vocabulary
from strategies import texts

KINDS = ["sp", "word"]


@pytest.fixture(scope="module")
def encoders(small_model: calque.Model) -> dict[str, AverageEncoder]:
    """One of each kind that remembers words; they stay warm from example to example."""
    every = [(None, line) for lines in sentences().values() for line in lines]
    words = build_vocabulary(VocabularySpec("word", 3000), lambda: every)
    return {
        "sp": AverageEncoder(small_model.vocabulary, small_model.embeddings),
        "word": AverageEncoder(words, random_embeddings(words.size, 20, seed=1)),
    }


def assert_plain(encoder: AverageEncoder, several: list[str]) -> None:
    """Against the slow twin: the means of the rows of whole texts. Remembered sums are 16-bit numbers."""
    tokens = encoder.vocabulary.encode(several)
    rows = [encoder.embeddings[tokens[number]] for number in range(len(several))]
    nothing = np.zeros(encoder.dimension)
    expected = [row.mean(axis=0, dtype=np.float64) if len(row) else nothing for row in rows]
    wrong = np.abs(encoder.encode(several) - expected).max(axis=1) > 1e-4 * np.abs(encoder.embeddings).max()
    assert [several[number] for number in np.flatnonzero(wrong)] == []
    assert encoder.encode_counting(several).pieces.tolist() == [len(row) for row in rows]


@pytest.mark.parametrize("kind", KINDS)
@given(text=texts)
@example(text="A\u00a0dog\u3000runs\u2028fast\x85.")
@example(text="\u0301 \u0301a \u200d b")
@example(text="a\0b \0 c")
@example(text="\ud83d \ude42 x\udfffy")
@example(text="👩‍👩‍👧‍👦 👍🏽" * 30)
@example(text="dog" * 100 + " cat")
@example(text="▁dog ▁ dog▁")
@settings(max_examples=250)
def test_any_text_has_the_mean_of_the_rows_of_its_pieces(
    encoders: dict[str, AverageEncoder], kind: str, text: str
) -> None:
    assert_plain(encoders[kind], [text])


@pytest.mark.parametrize("kind", KINDS)
@given(text=texts)
@settings(max_examples=250)
def test_a_text_has_the_pieces_of_its_words(encoders: dict[str, AverageEncoder], kind: str, text: str) -> None:
    vocabulary: Vocabulary = encoders[kind].vocabulary
    whole = vocabulary.encode([text])[0]
    by_words = vocabulary.encode(text.split(" ")).ids
    # Segmentations of equal score may differ in order, never in what they add up to.
    assert sorted(by_words.tolist()) == sorted(whole.tolist())


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_white_space_and_every_character_with_a_space_in_it(
    encoders: dict[str, AverageEncoder], kind: str
) -> None:
    odd = [
        chr(point)
        for point in range(sys.maxunicode + 1)
        if chr(point).isspace()
        or unicodedata.category(chr(point)) in ("Cc", "Cf", "Zs")
        or " " in unicodedata.normalize("NFKC", chr(point))
    ]
    assert len(odd) > 200
    assert_plain(encoders[kind], [f"The {mark}dog{mark}runs{mark} fast {mark} today" for mark in odd])


@pytest.mark.parametrize("kind", KINDS)
def test_capitals_with_marks_are_not_mistaken_for_small_letters_with_marks(
    encoders: dict[str, AverageEncoder], kind: str
) -> None:
    marks = [chr(point) for point in range(sys.maxunicode + 1) if unicodedata.combining(chr(point))]
    for letter in map(chr, range(ord("A"), ord("Z") + 1)):
        # The small letters are remembered first.
        assert_plain(encoders[kind], [letter.lower() + mark for mark in marks] + [letter + mark for mark in marks])


@pytest.mark.parametrize("kind", KINDS)
def test_a_lone_surrogate_counts_as_the_replacement_character(kind: str) -> None:
    spoilt = [(None, f"{line} \ufffd") for line in sentences()["en"]]
    vocabulary = build_vocabulary(VocabularySpec(kind, 500), lambda: spoilt)  # type: ignore[arg-type]
    encoder = AverageEncoder(vocabulary, random_embeddings(vocabulary.size, 16, seed=1))
    for text in ("dog \ufffd", "a\ufffdb"):
        surrogate = text.replace("\ufffd", "\udc80")
        assert vocabulary.encode([surrogate])[0].tolist() == vocabulary.encode([text])[0].tolist()
        np.testing.assert_array_equal(encoder.encode([surrogate]), encoder.encode([text]))
        assert_plain(encoder, [surrogate, surrogate * 50])


def test_real_sentences_agree_in_a_batch(encoders: dict[str, AverageEncoder]) -> None:
    every = [line for lines in sentences().values() for line in lines]
    for encoder in encoders.values():
        assert_plain(encoder, every)
