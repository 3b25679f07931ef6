"""calque dedup: evidence first; what stays is written whole, in its order."""

from __future__ import annotations

import gzip
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

from calque import Model
from calque.cli import main

LINES = ["The dog runs.", "", "I have 3 dogs.", "the dog runs!", "My cat\tsleeps in the house.", "I have 5 dogs."]
SPEAK = ["The dog runs.", "I have 3 dogs.", "the dog runs!", "I have 5 dogs."]


@pytest.fixture(autouse=True)
def somewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, small_model: Model) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CALQUE_MODEL", str(small_model.path))
    Path("lines.txt").write_text("".join(f"{line}\n" for line in LINES))
    Path("pairs.en-es.tsv").write_text(
        "A dog.\tUn perro.\nA dog.\tUn gato.\na dog!\tun perro\nA cat.\tUn gato.\n", encoding="utf-8"
    )


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[str, str]:
    main(["dedup", *arguments])
    seen = capsys.readouterr()
    return seen.out, seen.err


def test_without_an_output_groups_are_printed_and_nothing_is_written(capsys: pytest.CaptureFixture[str]) -> None:
    before = sorted(Path().iterdir())
    out, err = run(capsys, "lines.txt", "--threshold", "0.99")
    rows = [line.split("\t") for line in out.splitlines()]
    assert [row[:2] + row[3:] for row in rows] == [
        ["1", "kept", "lines.txt", "1", "The dog runs."],
        ["1", "dropped:same", "lines.txt", "4", "the dog runs!"],
    ]
    assert err == (
        "6 lines, 5 kept, 1 would be dropped: 1 with the same letters and digits, 0 near\n"
        "1 near but told apart, so kept: 1 by a number\n"
        "  number: I have 3 dogs. | I have 5 dogs.\n"
        "nothing was written; -o OUT writes what stays\n"
    )
    assert sorted(Path().iterdir()) == before


def test_with_an_output_what_stays_is_written_in_its_order(capsys: pytest.CaptureFixture[str]) -> None:
    out, err = run(capsys, "lines.txt", "--threshold", "0.99", "-o", "kept.txt", "--groups", "groups.tsv")
    assert out == ""
    assert Path("kept.txt").read_text().splitlines() == [line for line in LINES if line != "the dog runs!"]
    assert err.startswith("6 lines, 5 kept, 1 dropped: ")
    assert [line.split("\t")[1] for line in Path("groups.tsv").read_text().splitlines()] == ["kept", "dropped:same"]


def test_names_say_the_compression(capsys: pytest.CaptureFixture[str]) -> None:
    run(capsys, "lines.txt", "-o", "kept.txt.gz")
    run(capsys, "lines.txt", "-o", "kept.txt")
    assert gzip.decompress(Path("kept.txt.gz").read_bytes()) == Path("kept.txt").read_bytes()
    assert len(Path("kept.txt").read_text().splitlines()) == 5


@pytest.mark.parametrize("options", [["-o", "./lines.txt"], ["-o", "kept.txt", "--groups", "lines.txt"]])
def test_what_is_read_is_not_written_over(capsys: pytest.CaptureFixture[str], options: list[str]) -> None:
    before = Path("lines.txt").read_bytes()
    code, message, hint = fail(capsys, "dedup", "lines.txt", *options)
    assert (code, "lines.txt is what is read" in message, "name another file" in hint) == (2, True, True)
    assert Path("lines.txt").read_bytes() == before


def test_a_dry_run_that_is_asked_for_writes_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    out, err = run(capsys, "lines.txt", "-o", "kept.txt", "--dry-run")
    assert "dropped:same" in out
    assert "would be dropped" in err
    assert not Path("kept.txt").exists()


def test_standard_input_and_output(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    text = "".join(f"{line}\n" for line in SPEAK).encode()
    done = subprocess.run(
        [sys.executable, "-c", "from calque.cli import main; main()", "dedup", "-", "-o", "-"],
        input=text,
        capture_output=True,
    )
    assert done.stdout.decode().splitlines() == [SPEAK[0], SPEAK[1], SPEAK[3]]


def test_json_is_a_group_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    out, _ = run(capsys, "lines.txt", "--json")
    group, report = map(json.loads, out.splitlines())
    assert {name: value for name, value in report.items() if name != "examples"} == {
        **{"lines": 6, "kept": 5, "dropped": 1, "same": 1, "pairs": False},
        "spared": {"negation": 0, "opposite": 0, "number": 1, "unread": 0},
    }
    (example,) = report["examples"]
    assert example["reason"] == "number"
    assert [(line["verdict"], line["line"], line["texts"]) for line in example["lines"]] == [
        ("kept", 3, ["I have 3 dogs."]),
        ("kept:number", 6, ["I have 5 dogs."]),
    ]
    assert group["group"] == 1
    assert [(line["verdict"], line["line"], line["texts"]) for line in group["lines"]] == [
        ("kept", 1, ["The dog runs."]),
        ("dropped:same", 4, ["the dog runs!"]),
    ]


def test_what_a_negation_tells_apart_is_kept_shown_and_dropped_if_asked_for(
    capsys: pytest.CaptureFixture[str],
) -> None:
    Path("turned.txt").write_text("The dog sleeps.\nThe dog never sleeps.\n")
    out, err = run(capsys, "turned.txt", "--threshold", "0.1")
    assert out == ""
    assert err.splitlines() == [
        "2 lines, 2 kept, 0 would be dropped",
        "1 near but told apart, so kept: 1 by a negation",
        "  negation: The dog sleeps. | The dog never sleeps.",
    ]
    out, err = run(capsys, "turned.txt", "--threshold", "0.1", "--drop-opposites")
    assert [line.split("\t")[1] for line in out.splitlines()] == ["kept", "dropped:near"]
    assert "told apart" not in err


def test_numbers_are_told_apart_unless_ignored(capsys: pytest.CaptureFixture[str]) -> None:
    out, _ = run(capsys, "lines.txt", "--threshold", "0.99", "--ignore-numbers")
    assert "\tI have 5 dogs.\n" in out


def test_of_a_bitext_both_sides_must_repeat(capsys: pytest.CaptureFixture[str]) -> None:
    out, err = run(capsys, "pairs.en-es.tsv", "--threshold", "0.99")
    assert [line.split("\t")[4:] for line in out.splitlines()] == [
        ["1", "A dog.", "Un perro."],
        ["3", "a dog!", "un perro"],
    ]
    assert err.startswith("4 pairs, 3 kept, 1 would be dropped")


def test_a_bitext_is_written_in_the_format_of_its_name(capsys: pytest.CaptureFixture[str]) -> None:
    run(capsys, "pairs.en-es.tsv", "--threshold", "0.99", "-o", "kept.jsonl")
    assert [json.loads(line) for line in Path("kept.jsonl").read_text().splitlines()] == [
        {"en": "A dog.", "es": "Un perro."},
        {"en": "A dog.", "es": "Un gato."},
        {"en": "A cat.", "es": "Un gato."},
    ]
    run(capsys, "pairs.en-es.tsv", "--threshold", "0.99", "-o", "kept.en", "-o", "kept.es")
    assert Path("kept.es").read_text().splitlines() == ["Un perro.", "Un gato.", "Un gato."]
    run(capsys, "--bitext", "kept.en", "kept.es", "--threshold", "0.99", "-o", "again.tsv")
    assert len(Path("again.tsv").read_text().splitlines()) == 3


def test_a_table_can_be_read_as_lines(capsys: pytest.CaptureFixture[str]) -> None:
    Path("table.tsv").write_text("1\tdog\n1\tdog\n2\tcat\n")
    run(capsys, "table.tsv", "--lines", "-o", "kept.tsv")
    assert Path("kept.tsv").read_text() == "1\tdog\n2\tcat\n"


def test_several_files_are_one_corpus_and_each_line_says_where_it_stands(capsys: pytest.CaptureFixture[str]) -> None:
    Path("more.txt").write_text("A house.\nTHE DOG RUNS\n")
    out, err = run(capsys, "lines.txt", "more.txt", "--threshold", "0.99")
    assert [line.split("\t")[3:5] for line in out.splitlines()] == [
        ["lines.txt", "1"],
        ["lines.txt", "4"],
        ["more.txt", "2"],
    ]
    assert err.startswith("8 lines, 6 kept")


def test_against_another_file_its_lines_decide_and_repeats_within_stay(capsys: pytest.CaptureFixture[str]) -> None:
    Path("test.txt").write_text("i have 3 dogs\nThe moon.\nI have 3 dogs!\n")
    out, err = run(capsys, "lines.txt", "--against", "test.txt", "--threshold", "0.99", "--groups", "groups.tsv")
    assert [line.split("\t")[1:2] + line.split("\t")[3:] for line in out.splitlines()] == [
        ["kept", "test.txt", "1", "i have 3 dogs"],
        ["dropped:same", "lines.txt", "3", "I have 3 dogs."],
    ]
    assert Path("groups.tsv").read_text() == out
    assert "6 lines, 5 kept, 1 would be dropped" in err
    run(capsys, "lines.txt", "--against", "test.txt", "--threshold", "0.99", "-o", "kept.txt")
    assert Path("kept.txt").read_text().splitlines() == [line for line in LINES if line != "I have 3 dogs."]


def test_an_empty_file_has_no_duplicates(capsys: pytest.CaptureFixture[str]) -> None:
    Path("empty.txt").touch()
    assert run(capsys, "empty.txt") == ("", "0 lines, 0 kept, 0 would be dropped\n")


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        ("", 2, "Missing argument"),
        ("nowhere.txt", 2, "cannot read nowhere.txt"),
        ("lines.txt --no-dry-run", 2, "--no-dry-run needs a place for what stays"),
        ("lines.txt --threshold 1.5", 2, "threshold: expected more than 0 and at most 1, got 1.5"),
        ("lines.txt --threshold many", 2, "many"),
        ("lines.txt --keep shortest", 2, "shortest"),
        ("lines.txt --keep first --against lines.txt", 2, "--keep says which line of a group stays"),
        ("lines.txt pairs.en-es.tsv", 2, "pairs.en-es.tsv holds pairs, and lines.txt lines"),
        ("lines.txt --lines --columns 1,2", 2, "--columns is for bitext"),
        ("pairs.en-es.tsv --language en", 2, "--language is for lines"),
        ("lines.txt --language fi", 2, "not fi"),
        ("- -", 2, "standard input can be read once only"),
        ("lines.txt -o a.txt -o b.txt", 2, "expected one output for lines, got 2"),
        ("lines.txt -o a.txt --to tsv", 2, "--to is for bitext"),
        ("pairs.en-es.tsv -o kept.cake", 2, "does not say which format"),
        ("lines.txt -o kept.txt --groups kept.txt", 2, "two outputs cannot both go to kept.txt"),
        ("lines.txt -o - --json", 2, "cannot both go to standard output"),
        ("lines.txt --against empty.txt", 2, "empty.txt: nothing to compare with"),
        ("lines.txt -o nowhere/kept.txt", 1, "cannot write nowhere/kept.txt"),
        ("latin.txt", 1, "latin.txt, line 1: not UTF-8"),
        ("lines.txt --model nowhere", 1, "there is no model at nowhere"),
    ],
)
def test_mistakes(capsys: pytest.CaptureFixture[str], arguments: str, code: int, message: str) -> None:
    Path("empty.txt").touch()
    Path("latin.txt").write_bytes(b"caf\xe9\n")
    before = sorted(Path().iterdir())
    got_code, got_message, _ = fail(capsys, "dedup", *arguments.split())
    assert message in got_message
    assert got_code == code
    assert sorted(Path().iterdir()) == before


def test_a_terminal_gets_paragraphs_and_its_progress_is_cleared(small_model: Model) -> None:
    ours, theirs = pty.openpty()
    command = [sys.executable, "-c", "from calque.cli import main; main()", "dedup", "lines.txt"]
    with subprocess.Popen(command, stdout=theirs, stderr=theirs):
        os.close(theirs)
        seen = b""
        with suppress(OSError):
            while part := os.read(ours, 4096):
                seen += part
    os.close(ours)
    plain = re.sub(r"\x1b\[[\d;]*[mK]", "", seen.decode()).replace("\r\n", "\n").rpartition("\r")[2]
    kept, dropped = r"  kept    The dog runs\.  lines\.txt:1", r"  \d\.\d{4}  the dog runs!  lines\.txt:4  same letters"
    assert re.match(rf"group 1\n{kept}\n{dropped}\n6 lines", plain)
