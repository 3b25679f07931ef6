"""Inverse frequency and a model to start from: what was weighed once is not weighed again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import calque
from calque.errors import UsageError

SMALL: dict[str, Any] = {"vocabulary_size": 300, "dimension": 16, "epochs": 1, "threads": 1}


@pytest.fixture(scope="module")
def bitexts(demo_bitext: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Some of the demonstration's lines, so that vocabularies are learnt in no time."""
    folder = tmp_path_factory.mktemp("few")
    for path in (demo_bitext["en-es"], demo_bitext["en-de"]):
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
        (folder / path.name).write_text("".join(lines[:250]), encoding="utf-8")
    return {pair: folder / f"demo.{pair}.tsv" for pair in ("en-es", "en-de")}


@pytest.fixture(scope="module")
def weighed(bitexts: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> calque.Model:
    out = tmp_path_factory.mktemp("weighed") / "model"
    return calque.train(bitexts["en-es"], out, inverse_frequency=0.01, **SMALL)


@pytest.fixture(scope="module")
def plain(bitexts: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> calque.Model:
    out = tmp_path_factory.mktemp("plain") / "model"
    return calque.train(bitexts["en-es"], out, inverse_frequency=0, **SMALL)


def test_common_pieces_are_made_shorter(weighed: calque.Model, plain: calque.Model) -> None:
    shorter = np.linalg.norm(weighed.embeddings, axis=1) / np.maximum(np.linalg.norm(plain.embeddings, axis=1), 1e-9)
    by_piece = dict(zip(plain.vocabulary.pieces, shorter, strict=True))
    assert by_piece["▁the"] < 0.5
    assert by_piece["▁the"] < np.median(shorter[1:]) <= 1


def test_rows_that_were_weighed_are_not_weighed_again_by_any_recipe(
    weighed: calque.Model, bitexts: dict[str, Path], tmp_path: Path
) -> None:
    further = calque.train(
        bitexts["en-es"], tmp_path / "m", init=weighed.path, epochs=1, threads=1, freeze=0, learning_rate=0
    )
    np.testing.assert_array_equal(further.embeddings, weighed.embeddings)
    ours = calque.train(
        bitexts["en-es"],
        tmp_path / "n",
        init=weighed.path,
        recipe="calque",
        epochs=1,
        threads=1,
        learning_rate=0,
    )
    np.testing.assert_array_equal(ours.embeddings, weighed.embeddings)
    with pytest.raises(UsageError, match="inverse-frequency has been applied to its rows already"):
        calque.train(bitexts["en-es"], tmp_path / "o", init=weighed.path, inverse_frequency=0.01, threads=1)


def test_rows_that_never_were_can_be(plain: calque.Model, bitexts: dict[str, Path], tmp_path: Path) -> None:
    options: dict[str, Any] = {"init": plain.path, "epochs": 1, "threads": 1, "freeze": 0, "learning_rate": 0}
    model = calque.train(bitexts["en-es"], tmp_path / "m", inverse_frequency=0.01, **options)
    lengths, before = (np.linalg.norm(each.embeddings[1:], axis=1) for each in (model, plain))
    assert (lengths <= before).all()
    assert (lengths < before).any()


def test_adding_a_language_weighs_nothing_that_is_known(
    plain: calque.Model, bitexts: dict[str, Path], tmp_path: Path
) -> None:
    adding: dict[str, Any] = {"init": plain.path, "add_languages": ["de"], "epochs": 1, "threads": 1}
    model = calque.train(bitexts["en-de"], tmp_path / "m", **adding)
    kept = (model.embeddings[: len(plain.embeddings)] == plain.embeddings).all(axis=1)
    assert kept[plain.vocabulary.pieces.index("▁the")]
    with pytest.raises(UsageError, match="would change what the model knows"):
        calque.train(bitexts["en-de"], tmp_path / "n", inverse_frequency=0.01, **adding)
