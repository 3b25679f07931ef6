"""Training with a merged vocabulary: a model like any other whose languages share one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import calque
from calque.demo import sentences
from calque.errors import UsageError
from calque.vocabulary.sentencepiece import SentencePieceVocabulary

OPTIONS: dict[str, Any] = {"vocabulary_size": 800, "dimension": 16, "epochs": 2, "threads": 1}


@pytest.fixture(scope="module")
def model(demo_bitext: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> calque.Model:
    out = tmp_path_factory.mktemp("merged") / "model"
    return calque.train([demo_bitext["en-es"], demo_bitext["en-de"]], out, sharing="merged", **OPTIONS)


def test_the_folder_tells_how_it_was_made_and_opens_as_joint(model: calque.Model) -> None:
    assert model.path is not None
    config = json.loads((model.path / "config.json").read_text(encoding="utf-8"))
    assert model.about.training["sharing"] == "merged"
    assert '"sharing": "merged"' in json.dumps(config)
    assert '"sharing": "joint"' in json.dumps(config)
    again = calque.load(model.path)
    assert isinstance(again.vocabulary, SentencePieceVocabulary)
    assert again.vocabulary.size == len(again.embeddings) <= 800
    text = sentences()["de"][:50]
    np.testing.assert_array_equal(again.encode(text), model.encode(text))
    assert "|recipe:calque,sharing=merged|" in again.signature("x", 1)


def test_the_same_call_gives_the_same_bytes(model: calque.Model, demo_bitext: dict[str, Path], tmp_path: Path) -> None:
    chosen = [demo_bitext["en-es"], demo_bitext["en-de"]]
    again = calque.train(chosen, tmp_path / "m", sharing="merged", **OPTIONS)
    assert model.path is not None
    for name in ("model.safetensors", "sentencepiece.model"):
        assert (tmp_path / "m" / name).read_bytes() == (model.path / name).read_bytes()
    assert again.checksum == model.checksum


def test_training_can_start_from_it(model: calque.Model, demo_bitext: dict[str, Path], tmp_path: Path) -> None:
    further = calque.train(demo_bitext["en-es"], tmp_path / "m", init=model.path, epochs=1, threads=1)
    assert further.vocabulary.pieces == model.vocabulary.pieces
    assert further.about.training["sharing"] == "merged"
    assert (further.embeddings != model.embeddings).any()
    with pytest.raises(UsageError, match="has the sharing merged, and joint cannot start from it"):
        calque.train(demo_bitext["en-es"], tmp_path / "n", init=model.path, sharing="joint", threads=1)


def test_languages_can_be_added_to_it(model: calque.Model, demo_bitext: dict[str, Path], tmp_path: Path) -> None:
    more = calque.train(
        demo_bitext["en-fr"], tmp_path / "m", init=model.path, add_languages=["fr"], epochs=1, threads=1
    )
    assert more.languages == ("en", "es", "de", "fr")
    assert more.vocabulary.pieces[: model.vocabulary.size] == model.vocabulary.pieces
    frozen = (more.embeddings[: len(model.embeddings)] == model.embeddings).all(axis=1)
    assert frozen.mean() > 0.5


def test_unknown_languages_are_an_error_that_names_the_way_out(tmp_path: Path) -> None:
    bitext = tmp_path / "plain.tsv"
    bitext.write_text("a dog\tun perro\n" * 20, encoding="utf-8")
    with pytest.raises(UsageError, match="need to know the languages") as problem:
        calque.train(bitext, tmp_path / "m", sharing="merged", **OPTIONS)
    assert "--languages en es" in str(problem.value.hint)
    assert not (tmp_path / "m").exists()


def test_too_few_pieces_for_the_characters_are_an_error(demo_bitext: dict[str, Path], tmp_path: Path) -> None:
    with pytest.raises(calque.CalqueError, match="20 pieces are fewer than the bitext's characters"):
        calque.train(demo_bitext["en-es"], tmp_path / "m", sharing="merged", **OPTIONS | {"vocabulary_size": 20})
    assert not (tmp_path / "m").exists()
