"""Every command opens the folders of other libraries."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from failing import fail

from calque.cli import main
from foreign_folders import EVERY, static_embedding, static_model

pytest.importorskip("model2vec")
pytest.importorskip("sentence_transformers")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("foreign")
    static_model("bert", normalize=True).save_pretrained(folder / "model2vec")
    static_embedding("bert", folder / "static")
    return folder


def described(capsys: pytest.CaptureFixture[str], model: Path) -> dict[str, object]:
    main(["info", str(model), "--json"])
    said: dict[str, object] = json.loads(capsys.readouterr().out)
    return said


def test_info_says_what_is_known(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    said = described(capsys, folder / "model2vec")
    assert {name: said[name] for name in ("library", "encoder", "vocabulary", "rows", "dimension", "recipe")} == {
        "library": "model2vec",
        "encoder": "average",
        "vocabulary": "tokenizer",
        "rows": 900,
        "dimension": 32,
        "recipe": "imported=model2vec",
    }
    assert said["normalized"] is True
    assert not said.keys() & {"languages", "data", "epoch", "training seconds", "development"}
    said = described(capsys, folder / "static")
    assert said["library"] == "sentence-transformers"
    assert "normalized" not in said


def test_lines_are_encoded_as_the_library_does(folder: Path, tmp_path: Path) -> None:
    from model2vec import StaticModel

    (tmp_path / "lines.txt").write_text("".join(f"{line}\n" for line in EVERY[:100]), encoding="utf-8")
    out = tmp_path / "vectors.npy"
    main(["encode", str(tmp_path / "lines.txt"), "--model", str(folder / "model2vec"), "-o", str(out)])
    theirs = StaticModel.from_pretrained(folder / "model2vec").encode(EVERY[:100])
    np.testing.assert_allclose(np.load(out), theirs, atol=1e-4)


def test_a_similarity_is_explained(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    main(["explain", "--model", str(folder / "static"), "Two dogs run.", "A dog sleeps."])
    assert capsys.readouterr().out.startswith("similarity ")


def test_texts_are_searched(capsys: pytest.CaptureFixture[str], folder: Path, tmp_path: Path) -> None:
    (tmp_path / "lines.txt").write_text("".join(f"{line}\n" for line in EVERY[:100]), encoding="utf-8")
    index, model = str(tmp_path / "index"), str(folder / "model2vec")
    main(["search", "build", str(tmp_path / "lines.txt"), "--output", index, "--model", model])
    capsys.readouterr()
    main(["search", "query", index, EVERY[7]])
    assert EVERY[7] in capsys.readouterr().out.splitlines()[0]


def test_training_cannot_start_from_it(
    capsys: pytest.CaptureFixture[str], folder: Path, demo_bitext: dict[str, Path], tmp_path: Path
) -> None:
    call = ["train", str(demo_bitext["en-es"]), "--out", str(tmp_path / "out"), "--init", str(folder / "static")]
    code, message, hint = fail(capsys, *call)
    assert code == 2
    assert "comes from sentence-transformers: training cannot go on from it" in message
    assert "--init" in hint


def test_a_transformer_is_refused_with_its_modules(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    names = ("Transformer", "Pooling")
    modules = [
        {"path": f"{at}_{name}", "type": f"sentence_transformers.models.{name}"} for at, name in enumerate(names)
    ]
    (tmp_path / "modules.json").write_text(json.dumps(modules))
    (tmp_path / "config.json").write_text('{"model_type": "bert"}')
    code, message, hint = fail(capsys, "info", str(tmp_path))
    assert code == 1
    assert "is a sentence-transformers model of Transformer, Pooling" in message
    assert "model2vec" in hint
