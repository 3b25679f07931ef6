"""What can be evaluated: model folders, the paper's untrained encoders, other libraries' models."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import calque
from calque.demo import sentences
from calque.errors import CalqueError, CorpusError, UsageError
from calque.evaluation.sets.sts import SimilaritySet
from calque.evaluation.similarity import measure_similarity
from calque.evaluation.subject import DIMENSION, Subject, open_subject


def texts() -> list[str]:
    return [*sentences()["en"], *sentences()["es"]]


def graded() -> SimilaritySet:
    """Translations, which are alike, and sentences beside them, which are not."""
    english, spanish = sentences()["en"][:200], sentences()["es"][:200]
    gold = [5.0, 0.0] * 100
    shifted = [spanish[at] if gold[at] else spanish[at - 7] for at in range(200)]
    return SimilaritySet("graded", "", ("en", "es"), gold, english, shifted)


@pytest.mark.parametrize("kind", ["sp", "word", "trigram"])
def test_an_untrained_encoder_measures_what_sentences_have_in_common(kind: str) -> None:
    subject = open_subject(f"random-{kind}", texts)
    assert subject.label == f"random-{kind}"
    vectors = subject.unit_vectors(["the house is big", "the house is small", "viento"], None)
    assert vectors.shape == (3, DIMENSION)
    assert vectors[0] @ vectors[1] > vectors[0] @ vectors[2] + 0.2
    signature = subject.signature("sts:pets", 3)
    assert signature.startswith(f"sts:pets|n:3|{kind}:")
    assert "|dim:300|recipe:random|" in signature
    assert "|seed:1|" in signature


@pytest.mark.parametrize("kind", ["sp", "word", "trigram"])
def test_an_untrained_encoder_is_the_same_each_time(kind: str) -> None:
    one, two = (open_subject(f"random-{kind}", texts).unit_vectors(texts()[:50], None) for _ in range(2))
    np.testing.assert_array_equal(one, two)


@pytest.mark.parametrize(
    "text", [["a b", "b c"], ["A dog runs.", "A cat sleeps.", "the moon"], ["漢字 かな", "日本語の文"]], ids=str
)
@pytest.mark.parametrize("kind", ["sp", "word", "trigram"])
def test_little_text_gets_a_small_vocabulary(kind: str, text: list[str]) -> None:
    subject = open_subject(f"random-{kind}", lambda: text)
    size = int(subject.signature("x", 1).split(f"|{kind}:")[1].split("|")[0])
    assert 0 < size < 100
    assert all(vector.any() for vector in subject.unit_vectors(text, None))


@pytest.mark.parametrize("kind", ["sp", "word", "trigram"])
def test_text_without_words_is_bad_data(kind: str) -> None:
    with pytest.raises(CorpusError, match="no words"):
        open_subject(f"random-{kind}", lambda: ["", "  "])


def test_a_folder_is_opened_by_its_path_and_a_model_taken_as_it_is(small_model: calque.Model) -> None:
    assert small_model.path is not None
    for which in (small_model, small_model.path, str(small_model.path)):
        subject = open_subject(which, texts)
        assert subject.label == str(small_model.path)
        np.testing.assert_allclose(
            subject.unit_vectors(["A dog runs."], None), small_model.encode(["A dog runs."], normalize=True), atol=1e-6
        )
        assert subject.signature("x", 2) == small_model.signature("x", 2)


def test_a_folder_called_like_an_untrained_encoder_is_opened(
    small_model: calque.Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert small_model.path is not None
    (tmp_path / "random-sp").symlink_to(small_model.path)
    monkeypatch.chdir(tmp_path)
    assert "recipe:random" not in open_subject("random-sp", texts).signature("x", 1)


@pytest.mark.parametrize(
    ("which", "message"),
    [
        (None, "no model given"),
        ("nowhere", "there is no model at nowhere"),
        ("random-cake", "there is no model at random-cake"),
        ("model2vec:", "there is no model at model2vec:"),
        ("cake:nowhere", "there is no model at cake:nowhere"),
    ],
)
def test_a_model_that_is_not_there_is_an_error(
    which: str | None, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CALQUE_MODEL", raising=False)
    with pytest.raises(CalqueError, match=message):
        open_subject(which, texts)


@pytest.fixture(params=["sentence-transformers", "model2vec"])
def library(request: pytest.FixtureRequest) -> str:
    pytest.importorskip(request.param.replace("-", "_"))
    return str(request.param)


def test_a_model_scores_the_same_through_another_library(small_model: calque.Model, library: str) -> None:
    def score(subject: Subject) -> dict[str, float]:
        return dict(measure_similarity(subject, "graded", graded(), 0).values)

    peer = open_subject(f"{library}:{small_model.path}", texts)
    ours = score(open_subject(small_model, texts))
    assert ours["pearson"] > 30
    assert score(peer) == pytest.approx(ours, abs=0.05)
    assert peer.label == f"{library}:{small_model.path}"
    assert peer.signature("graded", 200).startswith(f"graded|n:200|{library}:")
    assert "|model:model|" in peer.signature("graded", 200)


def test_another_librarys_model_that_is_not_there_is_a_mistake(
    library: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    (tmp_path / "empty").mkdir()
    with pytest.raises(UsageError, match=f"{library} cannot open .*empty"):
        open_subject(f"{library}:{tmp_path / 'empty'}", texts)


def test_a_library_that_is_not_installed_is_named_with_the_way_to_get_it(
    library: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, library.replace("-", "_"), None)
    with pytest.raises(UsageError, match=f"needs the package {library.replace('-', '_')}") as caught:
        open_subject(f"{library}:anything", texts)
    assert caught.value.hint == "pip install 'calque-nlp[peers]'"


def test_vectors_of_any_kind_become_unit_vectors_of_single_precision() -> None:
    def encode(texts: Sequence[str], *, threads: int | None, language: str | None) -> Any:
        return np.asfortranarray([[3.0, 4.0], [0.0, 0.0]])

    vectors = Subject("x", encode, lambda name, n: "").unit_vectors(["a", "b"], None)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(vectors, [[0.6, 0.8], [0, 0]])
