"""A model folder opens in sentence-transformers and in model2vec, with the same vectors."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

import calque
from calque.demo import sentences
from calque.model import Model

Encode = Callable[[list[str]], npt.NDArray[np.float32]]

ODD = [
    "the  dog   runs",
    " leading space",
    "trailing space ",
    "\ttabs\tand\nlines\r\n",
    "MiXeD cAsE",
    "ＦＵＬＬ ｗｉｄｔｈ letters",
    "dog\U0001f600cat",
    "\U0001f3f3\ufe0f\u200d\U0001f308 flag",
    "漢字 and かな",
    "dog漢字cat",
    "Добрый день",
    "¡¿!?...…—–",
    "...",
    "don't-stop_now",
    "1,000.50 €",
    "ﬁne e\u0301te\u0301 x²",
    "a\u00a0b\u3000c\u200bd",
    "İstanbul, Straße, ΣΊΣΥΦΟΣ",
    "the \u2581 sign",
    "nul\0inside",
    "x" * 300,
    "An <unk> is unknown.",
    "E\u0301TE\u0301, Ẹ\u0300kọ\u0301, А\u0301нна",
    "The dog runs. " * 400,
]


LIBRARIES = ["sentence-transformers", "model2vec"]


@pytest.fixture(scope="module", params=LIBRARIES)
def encode(request: pytest.FixtureRequest, small_model: Model) -> Encode:
    return opened(request.param, small_model)


def opened(name: str, model: Model) -> Encode:
    if name == "model2vec":
        model2vec = pytest.importorskip("model2vec")
        static = model2vec.StaticModel.from_pretrained(str(model.path))
        return lambda texts: np.asarray(static.encode(texts), np.float32)
    library = pytest.importorskip("sentence_transformers")
    transformer = library.SentenceTransformer(str(model.path), device="cpu")
    return lambda texts: np.asarray(transformer.encode(texts), np.float32)


def cosines(one: npt.NDArray[np.float32], two: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    lengths = np.linalg.norm(one, axis=1) * np.linalg.norm(two, axis=1)
    return np.asarray(np.einsum("ij,ij->i", one, two) / lengths)


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


@pytest.mark.parametrize("text", ["", " ", "\u3000", "\ufffd"])
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
    np.testing.assert_allclose(cosines(merged_model.encode(texts), opened(library, merged_model)(texts)), 1, atol=1e-5)
