"""`calque reproduce`: what it prints, in a pipe, on a terminal and as JSON, and what is said of mistakes."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from failing import fail

from calque.cli import main
from calque.cli import reproduce as command
from calque.demo import sentences
from calque.paper.reproduce import ALL, EXPERIMENTS
from calque.paper.scale import SCALES, Scale

TINY = Scale("tiny", 200, 1, 50, 1, 150, 250, 3)
COLOUR = "\x1b["


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, whose data/ is enough for table 3; and a scale of seconds."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("CALQUE_DATA", raising=False)
    monkeypatch.setitem(SCALES, "tiny", TINY)
    english, german = (sentences()[language][:300] for language in ("en", "de"))
    mining = Path("data", "eval", "bucc", "de-en")
    mining.mkdir(parents=True)
    Path("data", "bitext").mkdir()
    lines = [f"{source}\t{target}\n" for source, target in zip(english, german, strict=True)]
    Path("data", "bitext", "europarl.en-de.tsv").write_text("".join(lines), encoding="utf-8")
    for language, text in (("de", german[:30]), ("en", english[:30])):
        rows = [f"{language}-{at}\t{line}\n" for at, line in enumerate(text)]
        (mining / f"de-en.sample.{language}").write_text("".join(rows), encoding="utf-8")
    (mining / "de-en.sample.gold").write_text("".join(f"de-{at}\ten-{at}\n" for at in range(20)))
    return tmp_path / "data"


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[str, str]:
    main(["reproduce", *arguments])
    seen = capsys.readouterr()
    return seen.out, seen.err


def test_the_command_knows_every_experiment() -> None:
    assert (*EXPERIMENTS, ALL) == command.EXPERIMENTS


def test_a_pipe_gets_a_line_a_row_without_colour(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    printed, said = run(capsys, "table3", "--data", "data", "--scale", "tiny", "--out", "out")
    assert COLOUR not in printed + said
    title, header, *rows = printed.splitlines()
    assert title == "Mining bitext on BUCC: F1"
    assert header.split() == ["dimension", "recipe", "epochs", "score", "en-de", "en-fr"]
    assert re.fullmatch(r"Schwenk \(2018\) +\(76\.1\) +\(74\.9\)", rows[0].rstrip())
    assert re.fullmatch(r"SP \(20k\) +300 +paper +1 +cosine +\d+\.\d \(77\.0\) +\(76\.3\)", rows[1].rstrip())
    assert re.fullmatch(r"SP \(40k\) +1024 +calque +1 +margin \(ratio, k = 4\) +\d+\.\d", rows[14].rstrip())
    changed = "calque, margin 0.4, mega-batch 60"
    last = rf"SP \(40k\) +1024 +{changed} +1 +margin \(distance, k = 4\) +\d+\.\d"
    assert re.fullmatch(last, rows[21].rstrip())
    notes = json.loads(Path("out/table3.json").read_text(encoding="utf-8"))["notes"]
    assert rows[22:] == ["Ours, and the paper's in brackets.", *(f"- {note}" for note in notes), ""]
    *training, written = said.splitlines()
    told = [line for line in training if line.startswith("table3")]
    assert [re.sub(", [^,]+ left$", "", line) for line in told] == [
        f"table3 {name} en-de: training {place} of 7"
        for place, name in enumerate(
            [
                *(f"{size} {recipe}" for recipe in ("paper", "calque") for size in ("sp-20k", "sp-40k")),
                "sp-40k calque 1024",
                f"sp-40k {changed}",
                f"sp-40k {changed} 1024",
            ],
            start=1,
        )
    ]
    assert all(line.endswith(" left") for line in told[1:])
    shown = [line for line in training if not line.startswith("table3")]
    assert len(shown) == 7 * 3
    assert training[1:4] == shown[:3], "a row is shown as soon as it is done"
    assert re.fullmatch(r"SP \(20k\), 300, paper, 1, cosine: en-de \d+\.\d \(77\.0\)", shown[0])
    figures = [re.search(r"en-de (.+)$", line) for line in shown]
    assert all(figure and figure[1] in row for figure, row in zip(figures, rows[1:], strict=False))
    assert written == "written to out: table3.md, table3.json"


def test_long_notes_are_not_broken_in_a_pipe(capsys: pytest.CaptureFixture[str]) -> None:
    from calque.paper.table import Row, Table

    note = "a long story " * 50
    label = "a [bold]label[/bold] :dog: " * 20
    command._show(Table("table9", "Cakes", ("sweet",), (Row(label.strip()),), (note.strip(),)))
    assert [line.rstrip() for line in capsys.readouterr().out.splitlines()] == [
        "Cakes",
        f"{' ' * len(label)} sweet",
        label.strip(),
        f"- {note.strip()}",
        "",
    ]


def test_json_is_the_tables_own(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    printed, said = run(capsys, "table3", "--data", "data", "--scale", "tiny", "--out", "out", "--json")
    found, written = json.loads(printed), json.loads(Path("out/table3.json").read_text(encoding="utf-8"))
    assert found == {key: written[key] for key in found}
    assert set(written) - set(found) == {"command", "machine", "calque"}
    assert said.endswith("written to out: table3.md, table3.json\n")


def test_without_out_the_folder_is_named_after_the_scale(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "table3", "--data", "data", "--scale", "tiny")[1].endswith(
        "written to paper-tiny: table3.md, table3.json\n"
    )
    assert Path("paper-tiny", "table3.md").exists()


def test_a_second_run_prints_the_same_and_trains_nothing(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["table3", "--data", "data", "--scale", "tiny", "--out", "out"]
    first, _ = run(capsys, *arguments)
    second, said = run(capsys, *arguments)
    assert second == first
    assert said == "written to out: table3.md, table3.json\n"


def test_a_narrow_terminal_cuts_no_figure(data: Path) -> None:
    patch = f"from calque.paper.scale import SCALES, Scale; SCALES['tiny'] = {TINY!r}\n"
    arguments = ["reproduce", "table3", "--data", "data", "--scale", "tiny"]
    environment = os.environ | {"COLUMNS": "40", "LINES": "50", "TERM": "xterm", "NO_COLOR": "1"}
    parent, child = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", patch + "from calque.cli import main; main()", *arguments],
        stdout=child,
        stderr=subprocess.DEVNULL,
        env=environment,
    )
    os.close(child)
    printed = b""
    with suppress(OSError):  # how a terminal says that its other end has gone
        while part := os.read(parent, 4096):
            printed += part
    os.close(parent)
    assert process.wait() == 0
    figures = sorted(re.findall(rb"\(\d\d\.\d\)", printed))
    assert figures == [b"(74.9)", b"(76.1)", b"(76.3)", b"(76.8)", b"(77.0)", b"(77.5)"]


@pytest.mark.parametrize(
    ("arguments", "code", "message", "hint"),
    [
        ("", 2, "Missing argument .*table1", "calque reproduce --help"),
        ("table9 --data data", 2, "table9", "calque reproduce --help"),
        ("table3", 2, "no --data given", "CALQUE_DATA"),
        ("table3 --data nowhere", 2, "there is no folder nowhere", "bitext/ and eval/"),
        ("table3 --data data --scale huge", 2, "expected small, full or a number of sentence pairs", "small"),
        ("table3 --data data --scale 10", 2, "from 1,000 on, got 10", "small"),
        ("table4 --data data --scale tiny", 2, r"data: no bitext europarl\.en-es\.tsv", "bitext/ and eval/"),
        ("table3 --data empty --scale tiny", 2, "no files of the suite bucc", "download bucc18"),
        ("all --data data --scale tiny", 2, r"no bitext paranmt\.en-en\.tsv or tatoeba\.en-en\.tsv", "bitext/"),
        (
            "table3 --data data --scale tiny --out file",
            1,
            "cannot write file/corpora: Not a directory",
            "another place",
        ),
    ],
)
def test_mistakes_are_told_in_two_lines(
    data: Path, capsys: pytest.CaptureFixture[str], arguments: str, code: int, message: str, hint: str
) -> None:
    Path("empty").mkdir()
    Path("file").write_text("mine")
    before = sorted(Path().iterdir())
    found = fail(capsys, "reproduce", *arguments.split())
    assert found[0] == code
    assert re.search(message, found[1])
    assert hint in found[2]
    assert sorted(Path().iterdir()) == before, "a mistake leaves nothing behind"


def test_a_damaged_score_is_told_in_two_lines(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["table3", "--data", "data", "--scale", "tiny", "--out", "out"]
    run(capsys, *arguments)
    next(Path("out", "scores").iterdir()).write_text("{")
    code, message, hint = fail(capsys, "reproduce", *arguments)
    assert code == 1
    assert re.match(r"out/scores/table3-.*\.json does not hold scores: ", message)
    assert hint == "delete it, and the same command measures them again"
