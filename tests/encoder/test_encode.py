"""What a caller of encode relies on."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import calque
from calque.demo import sentences
from calque.encoder import AverageEncoder, random_embeddings
from calque.encoder.average import mean_vectors
from calque.errors import UsageError
from calque.vocabulary import VocabularySpec, build_vocabulary
from calque.vocabulary.sharing import SeparateVocabularies
from strategies import texts


@pytest.fixture
def encoder(small_model: calque.Model) -> AverageEncoder:
    """Cold: it has encoded nothing yet."""
    return AverageEncoder(small_model.vocabulary, small_model.embeddings)


EVERY = [line for lines in sentences().values() for line in lines]


def test_each_text_has_a_row_of_float32(encoder: AverageEncoder) -> None:
    vectors = encoder.encode(["A dog runs.", "Un perro corre.", ""])
    assert vectors.shape == (3, 64)
    assert vectors.dtype == np.float32
    assert encoder.encode([]).shape == (0, 64)


@pytest.mark.parametrize("texts", [("A dog.", "A cat."), iter(["A dog.", "A cat."]), np.array(["A dog.", "A cat."])])
def test_any_sequence_of_texts_will_do(encoder: AverageEncoder, texts: list[str]) -> None:
    np.testing.assert_array_equal(encoder.encode(texts), encoder.encode(["A dog.", "A cat."]))


@pytest.mark.parametrize("text", ["", " ", " \t\n\u3000", "\u200b"], ids=repr)
def test_text_without_a_known_piece_is_zero(encoder: AverageEncoder, text: str) -> None:
    assert not encoder.encode([text])[0].any()
    assert not encoder.encode([text], normalize=True)[0].any()


@pytest.mark.parametrize("text", ["A dog runs.", "", "x" * 100, np.str_("A dog runs.")])
@pytest.mark.parametrize("normalize", [False, True])
def test_a_model_gives_one_str_one_vector(small_model: calque.Model, text: str, normalize: bool) -> None:
    vector = small_model.encode(text, normalize=normalize)
    assert vector.shape == (small_model.dimension,)
    assert vector.dtype == np.float32
    np.testing.assert_array_equal(vector, small_model.encode([text], normalize=normalize)[0])


def test_similarities_refuse_one_str_with_the_way_out(small_model: calque.Model) -> None:
    for wrong in (("A dog.", "Un can."), (["A dog."], "u"), ("u", ["A dog."])):
        with pytest.raises(UsageError, match=r"two lists of texts, got one str\n\nhint: similarity\(first, second\)"):
            small_model.similarities(*wrong)


def test_one_str_is_refused_with_the_way_out(encoder: AverageEncoder) -> None:
    with pytest.raises(
        UsageError, match=r"encode takes a list of texts, got one str\n\nhint: write encode\(\[text\]\)"
    ):
        encoder.encode("A dog runs.")


def test_similarities_are_those_of_lists_of_one_length(small_model: calque.Model) -> None:
    with pytest.raises(UsageError, match="two lists of one length, got 1 and 2 texts"):
        small_model.similarities(["A dog runs."], ["Un perro corre.", "Hoy llueve."])


def test_less_than_one_thread_is_refused(encoder: AverageEncoder) -> None:
    with pytest.raises(UsageError, match="threads: expected 1 or more, got 0"):
        encoder.encode(["A dog."], threads=0)


@given(text=texts)
def test_normalised_rows_have_length_one_or_zero_and_keep_their_direction(small_model: calque.Model, text: str) -> None:
    vector, unit = small_model.encode([text])[0], small_model.encode([text], normalize=True)[0]
    if not vector.any():
        assert not unit.any()
        return
    assert np.linalg.norm(unit) == pytest.approx(1, abs=1e-5)
    np.testing.assert_allclose(unit, vector / np.linalg.norm(vector), rtol=0, atol=1e-5)


@pytest.mark.parametrize("normalize", [False, True])
def test_the_number_of_threads_does_not_matter(small_model: calque.Model, normalize: bool) -> None:
    many = EVERY * 3
    expected = AverageEncoder(small_model.vocabulary, small_model.embeddings).encode(many, normalize, threads=1)
    for threads in (2, 3, 8):
        cold = AverageEncoder(small_model.vocabulary, small_model.embeddings)
        np.testing.assert_array_equal(cold.encode(many, normalize, threads), expected)


@given(before=st.lists(texts, max_size=5), text=texts)
def test_what_was_encoded_before_does_not_matter(small_model: calque.Model, before: list[str], text: str) -> None:
    cold, warm = (AverageEncoder(small_model.vocabulary, small_model.embeddings) for _ in range(2))
    warm.encode(before)
    np.testing.assert_array_equal(warm.encode([text]), cold.encode([text]))


def test_neighbours_in_the_list_do_not_matter(encoder: AverageEncoder) -> None:
    together = encoder.encode(EVERY)
    for number in range(0, len(EVERY), 307):
        np.testing.assert_array_equal(encoder.encode([EVERY[number]])[0], together[number])


def test_more_distinct_words_than_the_table_holds_still_get_their_vectors(
    small_model: calque.Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("calque.encoder.average._MOST_WORDS", 50)
    monkeypatch.setattr("calque.encoder.average._WORD_TABLE_BYTES", 0)
    narrow = AverageEncoder(small_model.vocabulary, small_model.embeddings)
    for _ in range(2):
        expected = mean_vectors(narrow.embeddings, narrow.vocabulary.encode(EVERY), 1)
        np.testing.assert_allclose(narrow.encode(EVERY), expected, rtol=0, atol=1e-4 * np.abs(expected).max())


@pytest.mark.parametrize("unit", ["A dog runs fast. ", "Donaudampfschifffahrt", "é狗🙂 "], ids=repr)
def test_a_line_of_ten_megabytes_works(encoder: AverageEncoder, unit: str) -> None:
    line = unit * (10_000_000 // len(unit.encode()))
    vectors = encoder.encode([line, "A dog.", unit])
    assert vectors[0].any()
    np.testing.assert_array_equal(vectors[1], encoder.encode(["A dog."])[0])
    if unit.endswith(" "):  # a repetition means what its unit means
        assert np.linalg.norm(vectors[0] - vectors[2]) < 0.001 * np.linalg.norm(vectors[2])


@pytest.mark.parametrize("dimension", [1, 3, 15, 16, 17, 64])
def test_any_dimension_works_however_small(small_model: calque.Model, dimension: int) -> None:
    narrow = AverageEncoder(small_model.vocabulary, random_embeddings(small_model.vocabulary.size, dimension, seed=1))
    texts = ["A dog runs.", "x" * 100, ""]
    expected = mean_vectors(narrow.embeddings, narrow.vocabulary.encode(texts), 1)
    np.testing.assert_allclose(narrow.encode(texts), expected, rtol=0, atol=1e-3)
    assert narrow.encode(texts).shape == (3, dimension)


def test_trigrams_which_span_spaces_are_read_plainly() -> None:
    vocabulary = build_vocabulary(VocabularySpec("trigram", 2000), lambda: [(None, line) for line in EVERY])
    encoder = AverageEncoder(vocabulary, random_embeddings(vocabulary.size, 24, seed=1))
    texts = ["The dog runs.", "the  DOG runs.", "", "a"]
    vectors = encoder.encode(texts)
    expected = [encoder.embeddings[vocabulary.encode([text])[0]].sum(axis=0) for text in texts]
    counts = [max(1, len(vocabulary.encode([text])[0])) for text in texts]
    np.testing.assert_allclose(vectors, np.array(expected) / np.array(counts)[:, None], rtol=0, atol=1e-5)
    np.testing.assert_array_equal(vectors[0], vectors[1])
    np.testing.assert_allclose(np.linalg.norm(encoder.encode(texts[:1], normalize=True)), 1, rtol=1e-5)


def test_languages_with_vocabularies_of_their_own_do_not_share_what_is_remembered() -> None:
    text = sentences()
    members = {
        language: build_vocabulary(
            VocabularySpec("sp", 400), lambda lines=text[language]: [(None, line) for line in lines]
        )
        for language in ("en", "es")
    }
    vocabulary = SeparateVocabularies(members, shared=False)
    encoder = AverageEncoder(vocabulary, random_embeddings(vocabulary.size, 32, seed=1))
    for language in ("en", "es", "en"):
        ids = vocabulary.encode(["no animal"], language=language)[0]
        vector = encoder.encode(["no animal"], language=language)[0]
        np.testing.assert_allclose(vector, encoder.embeddings[ids].mean(axis=0), rtol=0, atol=1e-4 * 4)
    with pytest.raises(UsageError, match="language is needed"):
        encoder.encode(["no animal"])
