"""Training reads its bitext twice, and may be resumed; standard input is kept for that long."""

from __future__ import annotations

import gzip
import io
import json
from pathlib import Path

import pytest

import calque
from calque.errors import CalqueError, CorpusError, Stopped, UsageError
from calque.tasks.train import Watcher

OPTIONS = {"vocabulary_size": 300, "dimension": 32, "epochs": 2, "seed": 1, "threads": 1}


def feed(monkeypatch: pytest.MonkeyPatch, content: bytes) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content)))


def test_a_bitext_from_standard_input_gives_the_same_vectors(
    demo_bitext: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    feed(monkeypatch, gzip.compress(demo_bitext["en-es"].read_bytes()))
    piped = calque.train("-", tmp_path / "piped", languages=["en", "es"], **OPTIONS)
    plain = calque.train(demo_bitext["en-es"], tmp_path / "plain", **OPTIONS)
    assert piped.embeddings.tobytes() == plain.embeddings.tobytes()
    assert piped.languages == ("en", "es")
    assert {path.name for path in (tmp_path / "piped").iterdir()} == {
        path.name for path in (tmp_path / "plain").iterdir()
    }


def test_a_stopped_training_keeps_its_standard_input_to_be_resumed(
    demo_bitext: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    feed(monkeypatch, demo_bitext["en-es"].read_bytes())

    def stop(progress: object) -> None:
        raise Stopped("enough")

    with pytest.raises(Stopped):
        calque.train("-", tmp_path / "model", watcher=Watcher(progress=stop), **OPTIONS)
    resumed = calque.resume(tmp_path / "model", threads=1)
    plain = calque.train(demo_bitext["en-es"], tmp_path / "plain", **OPTIONS)
    assert resumed.embeddings.tobytes() == plain.embeddings.tobytes()


@pytest.mark.parametrize("of_an_earlier_version", [False, True])
def test_a_stopped_training_from_standard_input_goes_on_in_another_place(
    demo_bitext: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, of_an_earlier_version: bool
) -> None:
    feed(monkeypatch, demo_bitext["en-es"].read_bytes())
    monkeypatch.chdir(tmp_path)

    def stop(progress: object) -> None:
        raise Stopped("enough")

    with pytest.raises(Stopped):
        calque.train("-", "model", watcher=Watcher(progress=stop), **OPTIONS)
    saved = json.loads(Path("model/training.json").read_text())
    assert saved["bitexts"][0]["paths"] == ["standard-input"]
    if of_an_earlier_version:
        saved["bitexts"][0]["paths"] = [str(tmp_path / "model" / "standard-input")]
        Path("model/training.json").write_text(json.dumps(saved))
    Path("model").rename("moved")
    resumed = calque.resume("moved", threads=1)
    plain = calque.train(demo_bitext["en-es"], "plain", **OPTIONS)
    assert resumed.embeddings.tobytes() == plain.embeddings.tobytes()


def test_standard_input_that_is_closed_leaves_no_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", None)
    with pytest.raises(UsageError, match="standard input is closed"):
        calque.train("-", tmp_path / "model", **OPTIONS)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("content", [b"", b"no tab\n", b"\xff\xfe", b"a\tb\n"])
def test_what_cannot_be_used_leaves_no_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: bytes) -> None:
    feed(monkeypatch, content)
    with pytest.raises(CalqueError) as problem:
        calque.train("-", tmp_path / "model", **OPTIONS)
    assert isinstance(problem.value, CorpusError)
    assert list(tmp_path.iterdir()) == []
