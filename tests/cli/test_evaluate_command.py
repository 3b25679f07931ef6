"""`calque evaluate`: a table for people, JSON for scripts, Markdown for papers, and what is said of mistakes."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from failing import fail

import calque
from calque.cli import evaluate as command
from calque.cli import main
from calque.demo import sentences
from calque.evaluation.suites import SUITES

COMMAND = [sys.executable, "-c", "from calque.cli import main; main()"]
COLOUR = "\x1b["


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, with one of two graded sets and one of translations in it; no model in the environment."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("CALQUE_MODEL", raising=False)
    monkeypatch.delenv("CALQUE_DATA", raising=False)
    monkeypatch.delenv("COLUMNS", raising=False)
    english, spanish, german = (sentences()[language][:80] for language in ("en", "es", "de"))
    for name, other in (("pets.en-es", spanish), ("houses.en-de", german)):
        rows = [f"{5 * (at % 2)}\t{english[at]}\t{other[at if at % 2 else at - 7]}\n" for at in range(len(english))]
        Path("sts").mkdir(exist_ok=True)
        Path("sts", f"{name}.tsv").write_text("".join(rows), encoding="utf-8")
    Path("tatoeba").mkdir()
    Path("tatoeba", "spa-eng.tsv").write_text(
        "".join(f"{x}\t{y}\n" for x, y in zip(spanish, english, strict=True)), encoding="utf-8"
    )
    return tmp_path


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    main(["evaluate", *arguments])
    seen = capsys.readouterr()
    assert seen.err == ""
    assert COLOUR not in seen.out
    return seen.out


def table_rows(markdown: str) -> list[list[str]]:
    lines = [line for line in markdown.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines]


def test_a_table_has_a_row_a_set_and_its_signature(
    data: Path, small_model: calque.Model, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = printed(capsys, "--model", str(small_model.path), "--suite", "sts", "--data", "sts").splitlines()
    assert lines[0].split() == ["set", "n", "pearson", "95", "%", "spearman"]
    score = r"-?\d+\.\d"
    for line, name, n in zip(
        lines[1:], ["sts:houses.en-de", "sts:pets.en-es", "sts:mean"], [80, 80, 160], strict=False
    ):
        assert re.fullmatch(rf"{name} +{n} +{score} +{score} … {score} +{score} *", line), line
    assert lines[4] == "95 %: the bootstrap interval of the first measure."
    assert lines[5] == f"signature: {small_model.signature('sts:mean', 160)}"
    assert len(lines) == 6


def test_json_is_what_the_function_gives(
    data: Path, small_model: calque.Model, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["-m", str(small_model.path), "--suite", "sts", "--data", "sts", "--resamples", "50", "--json"]
    expected = calque.evaluate(small_model.path, "sts", "sts", resamples=50).as_dict()
    assert json.loads(printed(capsys, *arguments)) == expected


def test_the_environment_names_the_model(
    data: Path, small_model: calque.Model, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CALQUE_MODEL", str(small_model.path))
    found = json.loads(printed(capsys, "--suite", "sts", "--data", "sts", "--json", "--resamples", "0"))
    assert found["model"] == str(small_model.path)


def test_only_some_sets_are_measured(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["-m", "random-word", "--suite", "sts", "--data", "sts", "--json", "--only", "pets", "--resamples", "0"]
    assert [row["name"] for row in json.loads(printed(capsys, *arguments))["results"]] == ["sts:pets.en-es"]


def test_comparing_shows_every_model_with_its_difference_and_p(
    data: Path, small_model: calque.Model, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["-m", "random-word", "--compare", str(small_model.path), "--compare", "random-word"]
    lines = printed(capsys, *arguments, "--suite", "sts", "--data", "sts").splitlines()
    titles = ["set", "n", "random-word", str(small_model.path), "difference", "p", "random-word", "difference", "p"]
    assert lines[0].split() == titles
    assert len(lines) == 6
    for line in lines[1:4]:
        assert line.rstrip().endswith("+0.0 (+0.0 … +0.0)  1.000")
        assert re.search(r"[+-]\d+\.\d \([+-]\d+\.\d … [+-]\d+\.\d\)( \*)? +\d\.\d{3} ", line)
    assert "paired bootstrap test against random-word" in lines[4]


def test_comparing_in_json_nests_the_others_with_p_values(
    data: Path, small_model: calque.Model, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["-m", "random-word", "--compare", str(small_model.path), "--suite", "sts", "--data", "sts", "--json"]
    found = json.loads(printed(capsys, *arguments))
    assert list(found) == ["model", "suite", "results", "means", "compared"]
    other: dict[str, Any] = found["compared"][0]
    assert other["model"] == str(small_model.path)
    assert set(other["differences"]) == {"sts:houses.en-de", "sts:pets.en-es", "sts:mean"}
    for name, apart in other["differences"].items():
        assert list(apart) == ["value", "low", "high", "p"]
        assert apart["low"] <= apart["high"]
        assert 0 < apart["p"] <= 1
        ours, theirs = (
            next(row["pearson"] for row in each["results"] + each["means"] if row["name"] == name)
            for each in (found, other)
        )
        assert apart["value"] == pytest.approx(theirs - ours, abs=0.011)


@pytest.mark.parametrize("compare", [[], ["--compare", "random-trigram"]])
@pytest.mark.parametrize(("suite", "resamples"), [("sts", "20"), ("sts", "0"), ("tatoeba", "20"), ("speed", "0")])
def test_markdown_is_a_table_of_whole_rows_with_signatures(
    data: Path, capsys: pytest.CaptureFixture[str], suite: str, resamples: str, compare: list[str]
) -> None:
    folder = "tatoeba" if suite == "tatoeba" else "sts"
    arguments = ["-m", "random-word", "--suite", suite, "--data", folder, "--resamples", resamples, "--markdown"]
    written = printed(capsys, *arguments, *compare)
    header, rule, *rows = table_rows(written)
    assert rule == ["---"] + ["---:"] * (len(header) - 1)
    assert {len(row) for row in rows} == {len(header)}
    signatures = [line for line in written.splitlines() if line.startswith("- `")]
    assert len(signatures) == len(rows) * (1 + bool(compare))
    assert f"|n:{rows[0][1].strip('*')}|" in signatures[0]


@pytest.mark.parametrize("option", [[], ["--markdown"], ["--json"]])
def test_names_are_shown_as_they_are(data: Path, capsys: pytest.CaptureFixture[str], option: list[str]) -> None:
    Path("odd").mkdir()
    for name in ("[bold]x[red]", ":dog:", "caf\udce9"):
        Path("odd", f"{name}.tsv").write_text("5\ta dog\ta dog\n1\tthe cat\ta moon\n")
    written = printed(capsys, "-m", "random-word", "--suite", "sts", "--data", "odd", *option)
    assert "sts:[bold]x[red]" in written
    assert "sts::dog:" in written
    assert re.search("sts:caf[?\ufffd]", written)


@pytest.mark.parametrize(
    ("arguments", "code", "message", "hint"),
    [
        ("--suite sts --data sts", 2, "no model given", "--model DIR or set CALQUE_MODEL"),
        ("-m random-word --data sts", 2, "--suite", "calque evaluate --help"),
        ("-m random-word --suite sts", 2, "no --data given", "CALQUE_DATA"),
        ("-m random-word --suite sts --data sts --only pets cake", 2, "no model at cake", "--only pets --only cake"),
        ("-m random-word --suite cake --data sts", 2, "cake", "calque evaluate --help"),
        ("-m random-word --suite sts --data nowhere", 2, "cannot read nowhere: No such file", "--data"),
        ("-m random-word --suite speed --data nowhere", 2, "cannot read nowhere: No such file", ""),
        ("-m random-word --suite bucc --data sts", 2, "sts: no files of the suite bucc", "gold"),
        ("-m random-word --suite sts17 --data sts", 2, "sts: no files of the suite sts17", "track5.en-en"),
        ("-m random-word --suite tatoeba --data sts", 2, "sts: no files of the suite tatoeba", "download tatoeba"),
        ("-m random-word --suite sts --data empty", 2, "empty: no files of the suite sts", "score, tab, sentence"),
        ("-m random-word --suite speed --data empty", 2, "no text in empty", "--data"),
        ("-m random-word --suite sts --data sts --only cake", 2, "no set's name holds cake", "pets.en-es"),
        ("-m random-word --suite sts --data sts --resamples -1", 2, "-1", "calque evaluate --help"),
        ("-m random-word --suite sts --data sts --json --markdown", 2, "choose one", ""),
        ("-m nowhere --suite sts --data sts", 1, "there is no model at nowhere", "calque train"),
        ("random-word --compare random-sp --suite sts --data sts", 2, "which of them", "calque evaluate random-word"),
        ("-m random-word --compare nowhere --suite sts --data sts", 1, "there is no model at nowhere", "calque train"),
        ("-m empty --suite sts --data sts", 1, "empty is not a model folder", ""),
        (
            "-m random-word --suite sts --data bad/score.tsv",
            1,
            r"bad/score\.tsv, line 2: expected a number in column 1, got 'high'",
            "",
        ),
        ("-m random-word --suite sts --data bad/nan.tsv", 1, r"bad/nan\.tsv, line 1: expected a number", ""),
        ("-m random-word --suite sts --data bad/wide.tsv", 1, r"wide\.tsv, line 1: expected 3 columns, got 4", "tab"),
        ("-m random-word --suite sts --data bad/one.tsv", 1, r"one\.tsv: expected at least two scored pairs", ""),
        ("-m random-word --suite speed --data bad/latin.tsv", 1, r"latin\.tsv, line 1: not UTF-8", "iconv"),
    ],
)
def test_mistakes_end_in_an_error_and_a_hint(
    data: Path, capsys: pytest.CaptureFixture[str], arguments: str, code: int, message: str, hint: str
) -> None:
    Path("empty").mkdir()
    Path("bad").mkdir()
    Path("bad/score.tsv").write_text("5\ta\tb\nhigh\ta\tb\n")
    Path("bad/nan.tsv").write_text("nan\ta\tb\n1\ta\tb\n")
    Path("bad/wide.tsv").write_text("5\ta\tb\tc\n")
    Path("bad/one.tsv").write_text("5\ta\tb\n")
    Path("bad/latin.tsv").write_bytes(b"caf\xe9\n")
    got_code, got_message, got_hint = fail(capsys, "evaluate", *arguments.split())
    assert re.search(message, got_message), got_message
    assert hint in got_hint
    assert got_code == code


def test_the_suites_on_offer_are_those_there_are() -> None:
    assert tuple(SUITES) == command.SUITES
    for suite in SUITES:
        assert f"\n    {suite} " in (command.evaluate.help or "") or f"\n{suite} " in (command.evaluate.help or "")


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMAND, "evaluate", *arguments], capture_output=True, text=True, env=os.environ | environment
    )


def test_in_a_pipe_each_row_is_one_line_without_colour(data: Path) -> None:
    compare = ["--compare", "random-trigram", "--compare", "random-sp"]
    done = run("-m", "random-word", *compare, "--suite", "sts", "--data", "sts", COLUMNS="60", TERM="xterm-256color")
    assert (done.returncode, done.stderr) == (0, "")
    assert COLOUR not in done.stdout
    lines = done.stdout.splitlines()
    assert [line.split()[0] for line in lines[:4]] == ["set", "sts:houses.en-de", "sts:pets.en-es", "sts:mean"]
    assert all(len(re.findall(r"[+-]\d+\.\d … [+-]\d+\.\d", line)) == 2 for line in lines[1:4])


def test_a_mistake_leaves_a_pipe_empty(data: Path) -> None:
    done = run("-m", "random-word", "--suite", "sts", "--data", "nowhere")
    assert (done.returncode, done.stdout) == (2, "")
    assert "Traceback" not in done.stderr


def on_a_terminal(columns: int, *arguments: str) -> tuple[str, str]:
    """What a terminal of this width is sent on standard output, and what goes to standard error, which is none."""
    ours, theirs = pty.openpty()
    environment = os.environ | {"COLUMNS": str(columns), "TERM": "xterm-256color"}
    process = subprocess.Popen(
        [*COMMAND, "evaluate", *arguments], stdout=theirs, stderr=subprocess.PIPE, env=environment, text=True
    )
    os.close(theirs)
    seen = b""
    with suppress(OSError):
        while part := os.read(ours, 4096):
            seen += part
    os.close(ours)
    _, told = process.communicate()
    assert process.returncode == 0, told
    return seen.decode(), told


@pytest.mark.parametrize("columns", [20, 60, 200])
def test_a_narrow_terminal_shows_every_score(data: Path, columns: int) -> None:
    arguments = ["-m", "random-word", "--compare", "random-trigram", "--suite", "sts", "--data", "sts"]
    seen, told = on_a_terminal(columns, *arguments)
    assert told == ""
    assert "…" not in seen.replace(" …", "")  # the sign of something cut, but for the one between an interval's ends
    described = json.loads(run(*arguments, "--json").stdout)
    for each in (described, *described["compared"]):
        for row in each["results"] + each["means"]:
            assert f"{row['pearson']:.1f}" in seen
    for apart in described["compared"][0]["differences"].values():
        assert f"{apart['p']:.3f}" in seen


def test_no_colour_is_no_colour(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    seen, _ = on_a_terminal(100, "-m", "random-word", "--suite", "sts", "--data", "sts")
    assert not re.search(r"\x1b\[(?:3|4|9|10)\d", seen)


def test_calque_data_names_the_folder_of_all_suites(
    data: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("data/eval").mkdir(parents=True)
    Path("data/bitext").mkdir()
    Path("sts").rename("data/eval/sts")
    asked = ["-m", "random-word", "--suite", "sts", "--json", "--resamples", "0"]
    given = printed(capsys, *asked, "--data", "data/eval/sts")
    monkeypatch.setenv("CALQUE_DATA", "data")
    assert printed(capsys, *asked) == given
    assert printed(capsys, *asked, "--data", "data") == given
