"""The model in the box is there for whoever names no other."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

import calque
from calque.errors import UsageError
from calque.evaluation.subject import open_subject
from calque.model.box import box_folder


def test_without_a_path_the_box_is_opened(box: Path) -> None:
    model = calque.load()
    assert model.path == box_folder() == box
    assert model.similarity("A dog runs.", "Un perro corre.") > 0


@pytest.mark.parametrize("named", ["", None])
def test_an_empty_environment_names_nothing(box: Path, named: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    if named is not None:
        monkeypatch.setenv("CALQUE_MODEL", named)
    assert calque.load().path == box


def test_the_environment_comes_before_the_box_and_a_path_before_both(
    box: Path, small_model: calque.Model, fluent_model: calque.Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CALQUE_MODEL", str(small_model.path))
    assert calque.load().checksum == small_model.checksum
    assert calque.load(fluent_model.path).checksum == fluent_model.checksum
    assert calque.load("box").path == box


def test_an_environment_that_names_the_box_means_it(box: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CALQUE_MODEL", "box")
    assert calque.load().path == box


@pytest.mark.parametrize("path", ["./box", Path("box")], ids=repr)
def test_a_folder_called_box_can_be_named(
    box: Path, small_model: calque.Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str | Path
) -> None:
    shutil.copytree(str(small_model.path), tmp_path / "box")
    monkeypatch.chdir(tmp_path)
    assert calque.load(path).checksum == small_model.checksum
    assert calque.load("box").path == box


def test_an_empty_path_is_a_mistake_even_so(box: Path) -> None:
    with pytest.raises(UsageError, match="no model given"):
        calque.load("")


def test_a_package_without_a_box_says_so() -> None:
    with pytest.raises(UsageError, match="there is no model in the box of this installation") as problem:
        calque.load("box")
    assert "./box" in str(problem.value.hint)


def test_functions_that_take_a_model_take_the_box(box: Path, tmp_path: Path) -> None:
    assert calque.explain("A dog runs.", "Un perro corre.").score > 0
    assert calque.align(["A dog runs."], ["Un perro corre."])
    assert list(calque.filter([("A dog runs.", "Un perro corre.")], threshold=float("-inf"), score="cosine"))
    index = calque.Index.build(["Un perro corre.", "Llueve."], tmp_path / "index")
    assert index.search(["A dog runs."], k=1)[0][0].text == "Un perro corre."


def test_an_index_of_the_box_opens_where_the_box_lies_elsewhere(
    box: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    shutil.copytree(box, first)
    monkeypatch.setattr("calque.model.box.FOLDER", first)
    calque.Index.build(["Un perro corre."], tmp_path / "index")
    first.rename(second)
    monkeypatch.setattr("calque.model.box.FOLDER", second)
    assert calque.Index.open(tmp_path / "index").search(["A dog runs."])[0]


def test_an_index_of_another_model_does_not_take_the_box(box: Path, small_model: calque.Model, tmp_path: Path) -> None:
    shutil.copytree(str(small_model.path), tmp_path / "model")
    calque.Index.build(["dog"], tmp_path / "index", tmp_path / "model")
    shutil.rmtree(tmp_path / "model")
    with pytest.raises(calque.CalqueError, match=r"is not at .*model any more"):
        calque.Index.open(tmp_path / "index").search(["dog"])


def test_training_starts_from_the_box(box: Path, demo_bitext: dict[str, Path], tmp_path: Path) -> None:
    trained = calque.train(demo_bitext["en-es"], tmp_path / "trained", init="box", epochs=0, threads=1)
    assert trained.encoder.bits == 32
    np.testing.assert_array_equal(trained.embeddings, calque.load().embeddings)
    assert "init=" in trained.about.recipe


def test_the_box_is_evaluated_under_its_own_name(box: Path) -> None:
    assert open_subject(None, list).label == "box"
    assert open_subject("box", list).label == "box"
