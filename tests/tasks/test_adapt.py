"""Training that starts from a model: by a recipe of its own, which leaves alone what all text uses."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import calque
from calque.demo import sentences
from calque.errors import UsageError


@pytest.fixture
def in_domain(tmp_path: Path) -> Path:
    """Sentences about little but files, in words that the demonstration's text has, too, but seldom."""
    nouns = [("file", "archivo"), ("window", "ventana"), ("key", "llave"), ("letter", "carta"), ("table", "mesa")]
    verbs = [("open", "abre"), ("close", "cierra"), ("save", "guarda"), ("move", "mueve")]
    lines = [f"{verb} the {noun}\t{otro} la {cosa}\n" for noun, cosa in nouns for verb, otro in verbs]
    path = tmp_path / "help.en-es.tsv"
    path.write_text("".join(lines * 10), encoding="utf-8")
    return path


def moved(model: calque.Model, start: calque.Model) -> set[str]:
    rows = np.flatnonzero((model.embeddings != start.embeddings).any(axis=1))
    return {start.vocabulary.pieces[row] for row in rows}


def test_rows_of_pieces_that_all_text_uses_stay(small_model: calque.Model, in_domain: Path, tmp_path: Path) -> None:
    model = calque.train(in_domain, tmp_path / "m", init=small_model.path, threads=1, epochs=2)
    everything = calque.train(in_domain, tmp_path / "n", init=small_model.path, threads=1, epochs=2, freeze=0)
    assert model.vocabulary.pieces == small_model.vocabulary.pieces
    assert moved(model, small_model) < moved(everything, small_model)
    text = sentences()["en"]
    before = small_model.encode(text, normalize=True)
    kept, changed = ((before * each.encode(text, normalize=True)).sum(axis=1).mean() for each in (model, everything))
    assert changed < kept < 1


def test_the_recipe_is_told(small_model: calque.Model, in_domain: Path, tmp_path: Path) -> None:
    assert small_model.path is not None
    model = calque.train(in_domain, tmp_path / "m", init=small_model.path, threads=1, epochs=1, freeze=5)
    assert f"|recipe:adapt,freeze=5,init={small_model.path.name}|" in model.signature("x", 1)
    assert model.about.data == (*small_model.about.data, "help.en-es:200")
    assert model.languages == small_model.languages


def test_a_language_that_the_model_has_not_seen_is_not_a_domain(small_model: calque.Model, tmp_path: Path) -> None:
    path = tmp_path / "help.en-eo.tsv"
    path.write_text("open the file\tmalfermu la dosieron\n" * 20, encoding="utf-8")
    with pytest.raises(UsageError, match="add --add-language eo"):
        calque.train(path, tmp_path / "m", init=small_model.path, threads=1, epochs=1)
    assert not (tmp_path / "m").exists()


def test_another_recipe_can_be_asked_for(small_model: calque.Model, in_domain: Path, tmp_path: Path) -> None:
    model = calque.train(in_domain, tmp_path / "m", init=small_model.path, threads=1, epochs=1, recipe="paper")
    assert model.about.recipe.startswith("paper,init=")


@pytest.mark.parametrize("options", [{"vocabulary": "word"}, {"sharing": "separate"}])
def test_where_nothing_tells_how_common_a_piece_was_all_rows_learn(
    demo_bitext: dict[str, Path], tmp_path: Path, options: dict[str, str]
) -> None:
    small = {"vocabulary_size": 300, "dimension": 16, "epochs": 1, "threads": 1}
    start = calque.train(demo_bitext["en-es"], tmp_path / "start", **options, **small)
    model = calque.train(demo_bitext["en-es"], tmp_path / "m", init=start.path, epochs=1, threads=1)
    assert model.about.recipe.startswith("calque,")
    assert "init=start" in model.about.recipe
    with pytest.raises(UsageError, match="only rows of a model to start from can be frozen"):
        calque.train(demo_bitext["en-es"], tmp_path / "n", init=start.path, freeze=3)


def test_a_new_model_has_no_rows_to_freeze(demo_bitext: dict[str, Path], tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="only rows of a model to start from can be frozen"):
        calque.train(demo_bitext["en-es"], tmp_path / "m", freeze=3)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"dimension": 32}, "has the dimension 64, and 32 cannot start from it"),
        ({"vocabulary_size": 500}, "has the vocabulary size 1000, and 500 cannot start from it"),
        ({"vocabulary": "word"}, "has the vocabulary sp, and word cannot start from it"),
        ({"sharing": "separate"}, "has the sharing joint, and separate cannot start from it"),
    ],
)
def test_what_the_model_has_decided_cannot_be_asked_for_otherwise(
    small_model: calque.Model, in_domain: Path, tmp_path: Path, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(UsageError, match=message) as problem:
        calque.train(in_domain, tmp_path / "m", init=small_model.path, **options)
    assert "leave out --" in str(problem.value.hint)
    assert not (tmp_path / "m").exists()


def test_what_the_model_has_decided_may_be_said_again(
    small_model: calque.Model, in_domain: Path, tmp_path: Path
) -> None:
    options = {"dimension": 64, "vocabulary": "sp", "vocabulary_size": 1000, "encoder": "average"}
    assert calque.train(in_domain, tmp_path / "m", init=small_model.path, epochs=0, **options).dimension == 64
