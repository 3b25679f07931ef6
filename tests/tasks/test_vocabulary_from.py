"""calque train --vocabulary-from: the vocabulary of another model, rows of one's own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import calque
from calque.errors import ModelError, UsageError

TINY: dict[str, Any] = {"dimension": 16, "epochs": 1, "threads": 1}


@pytest.fixture(scope="module")
def given(demo_bitext: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> calque.Model:
    out = tmp_path_factory.mktemp("given") / "wide"
    return calque.train(demo_bitext["en-es"], out, vocabulary_size=300, sharing="merged", **TINY)


def test_the_pieces_are_those_of_the_model_and_the_rows_are_not(
    demo_bitext: dict[str, Path], given: calque.Model, tmp_path: Path
) -> None:
    assert given.path is not None
    model = calque.train(demo_bitext["en-de"], tmp_path / "m", vocabulary_from=given.path, dimension=24, epochs=0)
    assert model.vocabulary.pieces == given.vocabulary.pieces
    assert model.embeddings.shape == (given.vocabulary.size, 24)
    assert model.about.training["sharing"] == "merged"
    assert "vocabulary-from=wide" in model.about.recipe
    assert "sharing=merged" in model.about.recipe


def test_it_is_the_vocabulary_that_would_have_been_learnt(
    demo_bitext: dict[str, Path], given: calque.Model, tmp_path: Path
) -> None:
    assert given.path is not None
    again = calque.train(demo_bitext["en-es"], tmp_path / "m", vocabulary_from=given.path, **TINY)
    assert (again.embeddings == given.embeddings).all()


def test_a_stopped_training_remembers_where_its_vocabulary_came_from(
    demo_bitext: dict[str, Path], given: calque.Model, tmp_path: Path
) -> None:
    from calque.tasks.training_run import Run

    assert given.path is not None
    calque.train(demo_bitext["en-es"], tmp_path / "m", vocabulary_from=given.path, **TINY)
    assert Run.read(tmp_path / "m").vocabulary_from == "wide"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"vocabulary_size": 500}, r"wide has the vocabulary size \d+, not 500"),
        ({"vocabulary": "word"}, "wide has the vocabulary sp, not word"),
        ({"sharing": "joint"}, "wide has the sharing merged, not joint"),
    ],
    ids=str,
)
def test_options_that_ask_for_another_vocabulary_are_refused(
    demo_bitext: dict[str, Path], given: calque.Model, tmp_path: Path, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        calque.train(demo_bitext["en-es"], tmp_path / "m", vocabulary_from=given.path, **TINY, **options)


def test_a_model_to_start_from_has_its_own(demo_bitext: dict[str, Path], given: calque.Model, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="brings its own vocabulary"):
        calque.train(demo_bitext["en-es"], tmp_path / "m", init=given.path, vocabulary_from=given.path)


def test_a_folder_without_a_model_is_refused(demo_bitext: dict[str, Path], tmp_path: Path) -> None:
    with pytest.raises(ModelError):
        calque.train(demo_bitext["en-es"], tmp_path / "m", vocabulary_from=tmp_path / "nothing")
