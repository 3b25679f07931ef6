"""What a terminal would act on comes from strangers' files and models: it is shown, never sent."""

from __future__ import annotations

import contextlib
import json
import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest

import calque
from calque.cli import main
from calque.model import Model

TITLE = "\x1b]0;mine\x07"  # would rename the window
CLEAR = "\x9b2J"  # would clear the screen, said in one character


def printed(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    """All of it, once nothing in it but line feeds and tabs could be acted on."""
    with contextlib.suppress(SystemExit):
        main([str(each) for each in arguments])
    seen = "".join(capsys.readouterr())
    assert "\ufffd" in seen
    assert not [each for each in seen if each not in "\n\t" and (each < " " or "\x7f" <= each < "\xa0")]
    return seen


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("calque.cli.visible.sys", SimpleNamespace(stdout=SimpleNamespace(isatty=lambda: True)))


@pytest.fixture
def index(small_model: Model, tmp_path: Path) -> Path:
    texts = iter([f"A dog {TITLE}runs.{CLEAR}", "A cat sleeps."])
    calque.Index.build(texts, tmp_path / "index", small_model)
    return tmp_path / "index"


def test_an_error_shows_what_it_quotes(capsys: pytest.CaptureFixture[str]) -> None:
    assert "there is no model at no\ufffd]0;mine\ufffdwhere" in printed(capsys, "info", f"no{TITLE}where")


def test_a_model_s_own_words_are_shown(capsys: pytest.CaptureFixture[str], small_model: Model, tmp_path: Path) -> None:
    folder = tmp_path / "model"
    shutil.copytree(small_model.path or "", folder)
    config = json.loads((folder / "config.json").read_text())
    config["about"]["languages"] = ["en", TITLE, CLEAR]
    (folder / "config.json").write_text(json.dumps(config))
    assert "en, \ufffd]0;mine\ufffd, \ufffd2J" in printed(capsys, "info", folder)


@pytest.mark.parametrize("form", [(), ("--json",)])
@pytest.mark.usefixtures("terminal")
def test_what_was_found_is_shown(capsys: pytest.CaptureFixture[str], index: Path, form: tuple[str, ...]) -> None:
    assert "dog" in printed(capsys, "search", "query", index, "A dog runs.", *form)


@pytest.mark.usefixtures("terminal")
def test_pairs_that_are_scored_are_shown(
    capsys: pytest.CaptureFixture[str], small_model: Model, tmp_path: Path
) -> None:
    (tmp_path / "pairs.tsv").write_text(f"A dog{TITLE}\tUn perro{CLEAR}\n", encoding="utf-8")
    path = tmp_path / "pairs.tsv"
    assert "A dog\ufffd" in printed(capsys, "similarity", "--pairs", path, "--model", small_model.path)


def test_a_pipe_gets_the_text_as_it_is(capsys: pytest.CaptureFixture[str], index: Path) -> None:
    main(["search", "query", str(index), "A dog runs."])
    assert f"A dog {TITLE}runs.{CLEAR}" in capsys.readouterr().out
