"""`calque.export`: each format where it is asked for, whole or not at all."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import calque
from calque.demo import sentences
from calque.errors import CalqueError, UsageError
from calque.model import Model
from calque.tasks import export as task

FOLDERS = ["sentence-transformers", "onnx", "quantised"]
COMMAND = [sys.executable, "-c", "from calque.cli import main; main()"]


@pytest.mark.parametrize("to", [*FOLDERS, "word2vec"])
def test_what_was_written_is_told(small_model: Model, tmp_path: Path, to: str) -> None:
    out = tmp_path / "out"
    done = calque.export(small_model, to=to, out=out)
    files = [out] if out.is_file() else list(out.iterdir())
    assert done.path == out
    assert done.bytes == sum(path.stat().st_size for path in files) > 30_000
    assert list(tmp_path.iterdir()) == [out]


@pytest.mark.parametrize(
    ("to", "binary", "library"),
    [
        ("sentence-transformers", False, "sentence_transformers"),
        ("word2vec", False, "gensim"),
        ("word2vec", True, "gensim"),
        ("onnx", False, "onnxruntime"),
        ("quantised", False, "calque"),
    ],
)
def test_the_two_lines_open_it(small_model: Model, tmp_path: Path, to: str, binary: bool, library: str) -> None:
    pytest.importorskip(library)
    done = calque.export(small_model, to=to, out=tmp_path / 'it\'s "odd"', binary=binary)
    assert len(done.opening.splitlines()) == 2
    exec(done.opening, {})


def test_a_folder_or_the_box_can_be_named_as_anywhere(
    small_model: Model, box: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calque.export(small_model.path, to="quantised", out=tmp_path / "small", bits=8)
    assert calque.load(tmp_path / "small").encoder.bits == 8
    calque.export(to="sentence-transformers", out=tmp_path / "box")
    np.testing.assert_array_equal(calque.load(tmp_path / "box").embeddings, calque.load(box).embeddings)


def test_four_bits_are_the_default(small_model: Model, tmp_path: Path) -> None:
    calque.export(small_model, to="quantised", out=tmp_path / "small")
    assert calque.load(tmp_path / "small").encoder.bits == 4


def test_a_name_may_ask_for_compression(small_model: Model, tmp_path: Path) -> None:
    gensim = pytest.importorskip("gensim.models")
    calque.export(small_model, to="word2vec", out=tmp_path / "rows.txt.gz")
    assert (tmp_path / "rows.txt.gz").read_bytes().startswith(b"\x1f\x8b")
    assert len(gensim.KeyedVectors.load_word2vec_format(str(tmp_path / "rows.txt.gz"))) == 999


def test_rows_are_counted_as_they_are_written(small_model: Model, tmp_path: Path) -> None:
    seen: list[int] = []
    calque.export(small_model, to="word2vec", out=tmp_path / "rows", report=seen.append)
    assert seen[-1] == 999


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"to": "tensorflow"}, "cannot export to 'tensorflow'"),
        ({"to": "onnx", "bits": 4}, "bits are for quantised models, not for onnx"),
        ({"to": "word2vec", "bits": 8}, "bits are for quantised models, not for word2vec"),
        ({"to": "quantised", "binary": True}, "binary is a kind of word2vec file, not of quantised"),
        ({"to": "quantised", "bits": 5}, "bits: expected 8, 4 or 3, got 5"),
    ],
)
def test_options_that_do_not_fit_are_refused(
    small_model: Model, tmp_path: Path, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        calque.export(small_model, out=tmp_path / "out", **options)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("to", FOLDERS)
def test_a_folder_that_holds_something_is_left_alone(small_model: Model, tmp_path: Path, to: str) -> None:
    (tmp_path / "mine").write_text("mine")
    with pytest.raises(UsageError, match="exists and is not an empty folder"):
        calque.export(small_model, to=to, out=tmp_path)
    with pytest.raises(UsageError, match="exists and is not an empty folder"):
        calque.export(small_model, to=to, out=tmp_path / "mine")
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


@pytest.mark.parametrize("to", FOLDERS)
def test_standard_output_takes_no_folder(small_model: Model, to: str) -> None:
    with pytest.raises(UsageError, match=f"{to} is a folder, which standard output cannot take"):
        calque.export(small_model, to=to, out="-")


def test_a_word2vec_file_takes_the_place_of_an_older_one_but_of_no_folder(small_model: Model, tmp_path: Path) -> None:
    (tmp_path / "rows").write_text("old")
    calque.export(small_model, to="word2vec", out=tmp_path / "rows")
    assert (tmp_path / "rows").read_text(encoding="utf-8").startswith("999 64\n")
    (tmp_path / "folder").mkdir()
    with pytest.raises(CalqueError, match=r"cannot write .*folder: Is a directory"):
        calque.export(small_model, to="word2vec", out=tmp_path / "folder")


@pytest.mark.parametrize("to", task.FORMATS)
def test_a_full_disk_leaves_no_trace(small_model: Model, tmp_path: Path, to: str) -> None:
    """A limit on the size of files stands in for it."""
    done = subprocess.run(
        [*COMMAND, "export", "--model", str(small_model.path), "--to", to, "-o", str(tmp_path / "out")],
        capture_output=True,
        text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (30_000, 30_000)),
    )
    assert done.returncode == 1
    assert done.stderr.startswith("error: cannot write ")
    assert "File too large\n\nhint: " in done.stderr
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("to", FOLDERS)
def test_an_interruption_leaves_no_trace(
    small_model: Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, to: str
) -> None:
    def interrupted(*arguments: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(f"calque.exporting.{to.replace('-', '_')}.add_first_card", interrupted)
    with pytest.raises(KeyboardInterrupt):
        calque.export(small_model, to=to, out=tmp_path / "out")
    assert not list(tmp_path.iterdir())


def test_the_same_model_gives_the_same_bytes(small_model: Model, tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        for to in task.FORMATS:
            calque.export(small_model, to=to, out=tmp_path / name / to)
    files = [path.relative_to(tmp_path / "one") for path in (tmp_path / "one").rglob("*") if path.is_file()]
    assert len(files) > 10
    for file in files:
        assert (tmp_path / "one" / file).read_bytes() == (tmp_path / "two" / file).read_bytes()


def test_a_smaller_model_still_finds_translations(fluent_model: Model, tmp_path: Path) -> None:
    calque.export(fluent_model, to="quantised", out=tmp_path / "small")
    small = calque.load(tmp_path / "small")
    english, spanish = (small.encode(sentences()[language], normalize=True) for language in ("en", "es"))
    assert (np.argmax(english @ spanish.T, axis=1) == np.arange(len(english))).mean() > 0.9
    assert json.loads((tmp_path / "small/config.json").read_text(encoding="utf-8"))["bits"] == 4
