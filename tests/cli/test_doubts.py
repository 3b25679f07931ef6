"""What is allowed but seldom meant is done, with a warning that names the way out."""

from __future__ import annotations

from pathlib import Path

import pytest
from failing import fail

from calque.cli import main
from calque.demo import sentences, write_sample
from calque.model import Model


@pytest.fixture(autouse=True)
def somewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, small_model: Model) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CALQUE_MODEL", str(small_model.path))
    Path("table.txt").write_text("a dog\tun perro\nthe cat\tel gato\n")
    Path("lines.txt").write_text("a dog\nthe cat\n")
    Path("one-tab.txt").write_text("a dog\tand more\nthe cat\n")
    Path("corpus.en-es.tsv").write_text("a dog\tun perro\n" * 20)


@pytest.fixture
def sample_memory() -> str:
    write_sample(Path("sample"))
    return "sample/memory.tmx"


def said(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    main(list(arguments))
    return capsys.readouterr().err


@pytest.mark.parametrize(
    "command",
    [
        "mine {} lines.txt -o out",
        "mine lines.txt {} -o out",
        "encode {} -o out.npy",
        "align lines.txt {} -o out",
        "search build {} -o index",
    ],
)
def test_a_table_where_lines_are_expected(capsys: pytest.CaptureFixture[str], command: str) -> None:
    assert "warning: table.txt has 2 columns" in said(capsys, *command.format("table.txt").split())


@pytest.mark.parametrize("command", ["mine {} lines.txt -o out", "encode {} -o out.npy", "search build {} -o index"])
def test_a_memory_where_lines_are_expected_is_refused(
    capsys: pytest.CaptureFixture[str], sample_memory: str, command: str
) -> None:
    code, message, hint = fail(capsys, *command.format(sample_memory).split())
    assert (code, message) == (2, f"{sample_memory} holds bitext as tmx, and lines of text are expected")
    assert hint.startswith(f"calque corpus convert {sample_memory} -o ")


def test_two_sides_that_are_shuffled_are_asked_about(
    capsys: pytest.CaptureFixture[str], fluent_model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = sentences()
    Path("wrong.tsv").write_text("".join(f"{a}\t{b}\n" for a, b in zip(text["en"], text["es"][1:], strict=False)))
    monkeypatch.setenv("CALQUE_MODEL", str(fluent_model.path))
    assert "shifted or shuffled against each other?" in said(capsys, "filter", "wrong.tsv", "-o", "kept.tsv")


@pytest.mark.parametrize("name", ["lines.txt", "one-tab.txt"])
def test_text_is_not_taken_for_a_table(capsys: pytest.CaptureFixture[str], name: str) -> None:
    assert "columns" not in said(capsys, "encode", name, "-o", "out.npy")


@pytest.mark.parametrize(("languages", "doubted"), [("en de", True), ("es en", False), ("eng es-MX", False)])
@pytest.mark.parametrize("command", ["corpus convert", "dedup", "dedup --bitext"])
def test_a_name_that_tells_other_languages(
    capsys: pytest.CaptureFixture[str], command: str, languages: str, doubted: bool
) -> None:
    told = said(capsys, *command.split(), "corpus.en-es.tsv", "--languages", *languages.split(), "-o", "out.tsv")
    assert ("warning: corpus.en-es.tsv is en and es by its name, but --languages says" in told) is doubted
    assert Path("out.tsv").exists()


@pytest.mark.parametrize(("options", "told"), [((), True), (("-q",), False), (("--init", "box"), False)])
def test_few_pairs_are_told_of_the_box(
    capsys: pytest.CaptureFixture[str], box: Path, options: tuple[str, ...], told: bool
) -> None:
    err = said(capsys, "train", "corpus.en-es.tsv", "--out", "m", "--epochs", "1", *options)
    assert ("20 pairs are few: with --init box" in err) is told
