"""Every command that takes a model works without one where the package holds one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from failing import fail

from calque.cli import main


@pytest.fixture(autouse=True)
def somewhere(box: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("some.en").write_text("The dog runs.\nIt is raining.\nWhere is the house?\n", encoding="utf-8")
    Path("some.es").write_text("El perro corre.\nLlueve.\n¿Dónde está la casa?\n", encoding="utf-8")
    Path("pairs.tsv").write_text("The dog runs.\tEl perro corre.\nIt is raining.\tLlueve.\n", encoding="utf-8")
    Path("graded.tsv").write_text(
        "5\tThe dog runs.\tThe dog runs.\n0\tThe dog runs.\tIt is raining.\n2\tThe dog.\tA dog runs.\n",
        encoding="utf-8",
    )


@pytest.mark.parametrize(
    "arguments",
    [
        ["similarity", "The dog runs.", "El perro corre."],
        ["similarity", "--model", "box", "The dog runs.", "El perro corre."],
        ["similarity", "--pairs", "pairs.tsv"],
        ["encode", "some.en", "-o", "vectors.npy"],
        ["explain", "The dog runs.", "El perro corre."],
        ["align", "some.en", "some.es"],
        ["dedup", "some.en"],
        ["mine", "some.en", "some.es", "-o", "mined.tsv"],
        ["filter", "pairs.tsv", "-o", "kept.tsv", "--score", "cosine", "--threshold", "-1"],
        ["evaluate", "--suite", "sts", "--data", "graded.tsv", "--resamples", "0"],
        ["evaluate", "box", "--suite", "sts", "--data", "graded.tsv", "--resamples", "0"],
        ["search", "build", "some.es", "-o", "index"],
        ["info"],
        ["info", "box"],
    ],
    ids=" ".join,
)
def test_a_command_needs_no_model(arguments: list[str], capfd: pytest.CaptureFixture[str]) -> None:
    before = set(Path().iterdir())
    main(arguments)
    printed, told = capfd.readouterr()
    if "-o" in arguments:
        (made,) = set(Path().iterdir()) - before
        assert made.name == arguments[-1] or made.name in arguments
        assert made.is_dir() or made.stat().st_size
    else:
        assert (told if arguments[0] == "dedup" else printed).strip()  # there are no duplicates to print


def test_info_shows_what_is_in_the_box(box: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["info", "--json"])
    shown = json.loads(capsys.readouterr().out)
    assert (shown["path"], shown["bits"], shown["rows"]) == (str(box), 4, 1000)
    assert shown["megabytes"] < 0.05


@pytest.mark.parametrize("arguments", ["similarity a b", "info", "encode some.en", "search build some.en -o index"])
def test_without_a_box_a_model_must_be_named(
    arguments: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("calque.model.box.FOLDER", Path("nowhere"))
    code, message, hint = fail(capsys, *arguments.split())
    assert (code, message) == (2, "no model given")
    assert "--model DIR or set CALQUE_MODEL" in hint


def test_a_box_that_is_not_there_is_a_mistake(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("calque.model.box.FOLDER", Path("nowhere"))
    code, message, _ = fail(capsys, "similarity", "--model", "box", "a", "b")
    assert (code, message) == (2, "there is no model in the box of this installation")
