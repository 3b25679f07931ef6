"""`calque align`: what it prints, and what is said of mistakes."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest
from failing import fail

import calque
from calque.alignment import MAX_SIZE, SKIP
from calque.cli import align as command
from calque.cli import main
from calque.demo import sentences
from calque.tasks.align import FORMATS


@pytest.fixture
def model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, small_model: calque.Model) -> str:
    """Its folder; the working folder holds a document in two languages."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("CALQUE_MODEL", raising=False)
    for language in ("en", "es"):
        Path(f"book.{language}").write_text("\n".join(sentences()[language][:10]) + "\n", encoding="utf-8")
    Path("empty").write_text("\n")
    Path("latin").write_bytes(b"caf\xe9\n")
    return str(small_model.path)


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    main(["align", *arguments])
    seen = capsys.readouterr()
    assert seen.err == ""
    return seen.out


def test_blocks_go_to_standard_output(model: str, capsys: pytest.CaptureFixture[str]) -> None:
    lines = printed(capsys, "book.en", "book.es", "-m", model).splitlines()
    found = calque.align(sentences()["en"][:10], sentences()["es"][:10], model)
    assert lines == [f"{list(each.source)}:{list(each.target)}:{each.cost:.6f}" for each in found]


def test_a_file_is_written_and_summed_up(model: str, capsys: pytest.CaptureFixture[str]) -> None:
    main(["align", "book.en", "book.en", "-m", model, "--format", "tsv", "-o", "out.tsv"])
    seen = capsys.readouterr()
    assert (seen.out, seen.err) == ("", "out.tsv: 10 blocks; left out: 0 of book.en, 0 of book.en\n")
    first = Path("out.tsv").read_text(encoding="utf-8").splitlines()[0].split("\t")
    assert first[1:] == [sentences()["en"][0], sentences()["en"][0], "0", "0"]


def test_json_is_one_object_a_line(model: str, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [json.loads(line) for line in printed(capsys, "book.en", "book.es", "-m", model, "--json").splitlines()]
    assert [number for row in rows for number in row["source"]] == list(range(10))
    assert list(rows[0]) == ["source", "target", "cost", "source_text", "target_text"]


def test_a_document_may_come_from_standard_input(
    model: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = printed(capsys, "book.en", "book.es", "-m", model)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(Path("book.en").read_bytes())))
    assert printed(capsys, "-", "book.es", "-m", model) == expected


def test_options_reach_the_search(model: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("short.es").write_text(
        "\n".join([" ".join(sentences()["es"][:2]), *sentences()["es"][2:10]]), encoding="utf-8"
    )
    arguments = ["book.en", "short.es", "-m", model, "--languages", "en", "es"]
    assert "[0, 1]:[0]:" in printed(capsys, *arguments)
    for option in (["--one-to-one"], ["--max-size", "2"]):
        assert ", " not in printed(capsys, *arguments, *option)
    assert "[0]:[]:0.000000" in printed(capsys, *arguments, "--skip", "0")


@pytest.mark.parametrize(
    ("arguments", "code", "message", "hint"),
    [
        ("book.en", 2, "DOC2", "calque align --help"),
        ("book.en book.es", 2, "no model given", "--model DIR or set CALQUE_MODEL"),
        ("book.en nowhere -m MODEL", 2, "cannot read nowhere: No such file", ""),
        ("book.en empty -m MODEL", 1, "empty holds no sentence", "one sentence a line"),
        ("book.en latin -m MODEL", 1, "latin, line 1: not UTF-8", "iconv"),
        ("- - -m MODEL", 2, "only one of the two documents can come from standard input", ""),
        ("book.en book.es -m MODEL --json --format tsv", 2, "choose one", ""),
        ("book.en book.es -m MODEL --one-to-one --max-size 4", 2, "choose one", ""),
        ("book.en book.es -m MODEL --max-size 0", 2, "max_size: expected 2", ""),
        ("book.en book.es -m MODEL --skip -1", 2, "skip: expected 0 or more", ""),
        ("book.en book.es -m MODEL --format csv", 2, "csv", "calque align --help"),
        (
            "book.en book.es -m MODEL --languages en zh",
            2,
            "the model knows en, es, de, fr, not zh",
            "--add-language zh",
        ),
        ("book.en book.es -m MODEL -o no/where.txt", 1, "cannot write no/where.txt", ""),
    ],
)
def test_mistakes_end_in_an_error_and_a_hint(
    model: str, capsys: pytest.CaptureFixture[str], arguments: str, code: int, message: str, hint: str
) -> None:
    got_code, got_message, got_hint = fail(capsys, "align", *arguments.replace("MODEL", model).split())
    assert message in got_message
    assert hint in got_hint
    assert got_code == code


def test_help_tells_the_true_defaults_and_formats() -> None:
    shown = {parameter.name: parameter for parameter in command.align.params}
    assert {*shown["format"].type.choices, "jsonl"} == set(FORMATS)  # type: ignore[attr-defined]
    assert f"[default: {MAX_SIZE}]" in shown["max_size"].help  # type: ignore[attr-defined]
    assert f"[default: {SKIP}]" in shown["skip"].help  # type: ignore[attr-defined]
