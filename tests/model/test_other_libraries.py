"""A model folder opens in sentence-transformers and in model2vec, with the same vectors."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import calque
from calque.demo import sentences
from calque.model import Model
from other_libraries import LIBRARIES, ODD, Encode, cosines, opened


@pytest.fixture(scope="module", params=LIBRARIES)
def encode(request: pytest.FixtureRequest, small_model: Model) -> Encode:
    return opened(request.param, small_model.path)


@pytest.mark.parametrize("language", sentences())
def test_sentences_have_the_same_vectors(small_model: Model, encode: Encode, language: str) -> None:
    texts = sentences()[language]
    np.testing.assert_allclose(cosines(small_model.encode(texts), encode(texts)), 1, atol=1e-5)


@pytest.mark.parametrize("language", sentences())
def test_words_that_training_never_saw_have_the_same_vectors(small_model: Model, encode: Encode, language: str) -> None:
    texts = [f"{text[::-1]} {text.upper()}?!" for text in sentences()[language][:100]]
    np.testing.assert_allclose(cosines(small_model.encode(texts), encode(texts)), 1, atol=1e-5)


@pytest.mark.parametrize("text", ODD)
def test_odd_text_has_the_same_vector(small_model: Model, encode: Encode, text: str) -> None:
    np.testing.assert_allclose(cosines(small_model.encode([text]), encode([text])), 1, atol=1e-5)


@pytest.mark.parametrize("text", ["", " ", "\u3000", "\ufffd", "Добрый день"])
def test_text_of_nothing_has_no_direction(small_model: Model, encode: Encode, text: str) -> None:
    assert not encode([text]).any()
    assert not small_model.encode([text]).any()


def test_similarities_across_languages_are_the_same(small_model: Model, encode: Encode) -> None:
    english, spanish = sentences()["en"][:100], sentences()["es"][:100]
    ours = small_model.similarities(english, spanish)
    np.testing.assert_allclose(cosines(encode(english), encode(spanish)), ours, atol=1e-4)


@pytest.fixture(scope="module")
def merged_model(demo_bitext: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Model:
    out = tmp_path_factory.mktemp("merged") / "model"
    options = {"vocabulary_size": 800, "dimension": 32, "epochs": 1, "threads": 1}
    return calque.train([demo_bitext["en-es"], demo_bitext["en-de"]], out, sharing="merged", **options)


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_merged_vocabulary_is_cut_alike(merged_model: Model, library: str) -> None:
    texts = [*sentences()["es"], *sentences()["de"], *(text[::-1] for text in sentences()["en"]), *ODD]
    theirs = opened(library, merged_model.path)(texts)
    np.testing.assert_allclose(cosines(merged_model.encode(texts), theirs), 1, atol=1e-5)
