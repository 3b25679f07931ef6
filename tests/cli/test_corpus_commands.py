"""calque corpus convert, clean, stats: data to standard output, the report to standard error, mistakes with a hint."""

from __future__ import annotations

import json
import os
import pty
import re
import resource
import shlex
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import failing
import pytest

from calque.cli import main
from calque.cli.corpus import SUMMARIES
from calque.corpus.cleaning import PRESETS, RULES

COMMAND = [sys.executable, "-c", "from calque.cli import main; main()", "corpus"]
GOOD = "A dog runs.\tUn perro corre.\n"
NOISY = (
    GOOD
    + "Rain falls.\tLlueve ya.\n"
    + GOOD
    + "\tnada\n"
    + "hidden \x1b[31m\x07red\u202e\ttexto\n"
    + "[bold]cafÃ©[/bold] :smile:\t[/]un cafÃ©\n"
    + "Same\tsame\n"
)
KEPT = GOOD + "Rain falls.\tLlueve ya.\n" + "[bold]café[/bold] :smile:\t[/]un café\n"


@pytest.fixture(autouse=True)
def somewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder with the files that the examples of the help name, as far as their formats can be made by hand."""
    monkeypatch.chdir(tmp_path)
    for name in ("noisy.en-es.tsv", "noisy.tsv", "corpus.en-es.tsv"):
        Path(name).write_text(NOISY, encoding="utf-8")
    Path("good.en-es.tsv").write_text(GOOD)
    Path("german.en-de.tsv").write_text(GOOD)
    Path("three.tsv").write_text("a\tb\tc\n")
    Path("side.en").write_text("one\ntwo\n")
    Path("empty.tsv").touch()
    Path("folder").mkdir()
    Path("my_rules.py").write_text("def no_urls(source, target):\n    return 'http' not in source + target\n")


def run(
    arguments: str,
    stdin: str | None = None,
    environment: dict[str, str] | None = None,
    before: Callable[[], None] | None = None,
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMAND, *shlex.split(arguments)],
        input=stdin,
        capture_output=True,
        encoding="utf-8",
        env=os.environ | {"COLUMNS": "100"} | (environment or {}),
        preexec_fn=before,
    )


def printed(capsys: pytest.CaptureFixture[str], arguments: str) -> tuple[str, str]:
    main(["corpus", *shlex.split(arguments)])
    captured = capsys.readouterr()
    return captured.out, captured.err


def fail(capsys: pytest.CaptureFixture[str], arguments: str) -> tuple[int, str, str]:
    """Exit code, message and hint of a call that must fail, with nothing on standard output and no new file."""
    before = set(Path().rglob("*"))
    failed = failing.fail(capsys, "corpus", *shlex.split(arguments))
    assert {path for path in Path().rglob("*") if path.name != "__pycache__" and path.suffix != ".pyc"} <= before
    return failed


def test_help_of_the_group_names_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    out, _ = printed(capsys, "--help")
    for command, line in SUMMARIES.items():
        assert command in out
        assert line in out


def test_help_of_clean_names_every_rule_with_its_limits(capsys: pytest.CaptureFixture[str]) -> None:
    out, _ = printed(capsys, "clean --help")
    for rule in RULES:
        (line,) = re.findall(rf"^  {rule.name} +(.*)$", out, re.MULTILINE)
        limits = [PRESETS[preset][rule.name] for preset in ("light", "strict") if rule.name in PRESETS[preset]]
        assert line.split()[: len(limits)] == ["yes" if limit is None else f"{limit:g}" for limit in limits]
        assert line.split()[len(limits)] == rule.summary.split()[0]


@pytest.mark.parametrize("columns", [60, 80, 200])
@pytest.mark.parametrize("command", ["convert", "clean", "stats"])
def test_help_fits_the_terminal_but_for_the_examples(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, command: str, columns: int
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    out, _ = printed(capsys, f"{command} --help")
    assert out.startswith(f"Usage: calque corpus {command} ")
    for line in out.splitlines():
        assert len(line) <= min(columns, 110) or line.startswith("  calque corpus ")


def examples(capsys: pytest.CaptureFixture[str], command: str) -> list[str]:
    out, _ = printed(capsys, f"{command} --help")
    return [
        line.strip().removeprefix("calque corpus ") for line in out.splitlines() if line.startswith("  calque corpus")
    ]


@pytest.mark.parametrize(("command", "fewest"), [("clean", 2), ("stats", 1)])
def test_examples_of_the_help_work(capsys: pytest.CaptureFixture[str], command: str, fewest: int) -> None:
    subprocess.run("gzip -k noisy.en-es.tsv corpus.en-es.tsv", shell=True, check=True)
    lines = [line for line in examples(capsys, command) if ".tmx" not in line]
    assert len(lines) >= fewest
    for line in lines:
        done = run(line)
        assert done.returncode == 0, (line, done.stderr)
        assert done.stderr or done.stdout


def test_clean_writes_what_is_kept_and_reports_on_standard_error() -> None:
    done = run("clean noisy.en-es.tsv -o out.tsv")
    assert (done.returncode, done.stdout) == (0, "")
    assert Path("out.tsv").read_text("utf-8") == KEPT
    assert done.stderr.startswith("3 of 7 pairs kept (42.9%)\n")
    for line in (
        r"^empty +1 +⇥ nada",
        r"^control-characters +1 +hidden �\[31m�red� ⇥ texto",
        r"^identical +1 +Same ⇥ same",
        r"^duplicate +1 +A dog runs\. ⇥ Un perro corre\.",
        r"^mojibake, mended +1 +\[bold\]cafÃ©\[/bold\] :smile: → \[bold\]café\[/bold\] :smile:, \[/\]un cafÃ© →",
    ):
        assert re.search(line, done.stderr, re.MULTILINE), (line, done.stderr)


def test_rules_that_dropped_nothing_are_not_in_the_way() -> None:
    done = run("clean good.en-es.tsv -o out.tsv")
    assert done.stderr == "1 of 1 pairs kept (100.0%)\n"


@pytest.mark.parametrize(("languages", "asked"), [("en ru", False), ("ru en", True)])
def test_sides_that_seem_swapped_are_asked_about(languages: str, asked: bool) -> None:
    Path("plain.tsv").write_text("a dog runs\tсобака бежит\nthe cat sleeps\tкошка спит\n", encoding="utf-8")
    done = run(f"clean plain.tsv --languages {languages} --preset strict -o out.tsv")
    assert ("are the sides swapped, or --languages wrong?" in done.stderr) is asked


def test_rules_that_could_not_work_are_told() -> None:
    done = run("clean noisy.tsv -o out.tsv --preset strict")
    assert "wrong-script: not checked; it needs the languages: pass --languages, like en es\n" in done.stderr
    assert "wrong-language: not checked; it needs the languages: pass --languages, like en es\n" in done.stderr


@pytest.mark.parametrize("command", ["clean - -o -", "convert - -o -"])
def test_pipes_carry_pairs_and_nothing_else(command: str) -> None:
    done = run(command, stdin=NOISY)
    assert done.returncode == 0
    assert done.stdout == (KEPT if command.startswith("clean") else NOISY)
    assert ("3 of 7 pairs kept" in done.stderr) == command.startswith("clean")


def test_commands_can_be_chained() -> None:
    line = " ".join(map(shlex.quote, COMMAND))
    commands = ["convert noisy.en-es.tsv -o -", "clean - --languages en es -o -", "stats - --pieces 0 --json"]
    done = subprocess.run(" | ".join(f"{line} {each}" for each in commands), shell=True, capture_output=True, text=True)
    assert json.loads(done.stdout)["pairs"] == 3


def test_statistics_of_standard_input() -> None:
    done = run("stats - --pieces 0", stdin=NOISY)
    assert done.returncode == 0
    assert done.stderr == ""
    assert done.stdout.startswith("7 pairs\n")
    assert re.search(r"^duplicate +1 +14\.29%", done.stdout, re.MULTILINE)
    assert "wrong-script: not checked; it needs the languages" in done.stdout


def test_statistics_in_json_hold_what_is_printed() -> None:
    found = json.loads(run("stats noisy.en-es.tsv --json --pieces 16").stdout)
    assert found["pairs"] == 7
    assert found["source"]["language"] == "en"
    assert len(found["source"]["lengths"]) == len(found["edges"])
    assert found["noise"]["duplicate"] == {"count": 1, "examples": [["A dog runs.", "Un perro corre."]]}


@pytest.mark.parametrize("option", ["--json", "--report -", "--json --report -"])
def test_the_report_in_json_goes_to_standard_output_once(option: str) -> None:
    done = run(f"clean noisy.en-es.tsv -o out.tsv {option}")
    report = json.loads(done.stdout)
    assert (report["read"], report["kept"]) == (7, 3)
    assert report["dropped"]["empty"] == {"count": 1, "examples": [["", "nada"]]}
    assert report["repaired"]["count"] == 1
    assert done.stderr.startswith("3 of 7")


def test_the_report_can_go_to_a_file_and_to_standard_output_both() -> None:
    done = run("clean noisy.en-es.tsv -o out.tsv --json --report report.json")
    assert json.loads(done.stdout) == json.loads(Path("report.json").read_text("utf-8"))
    done = run("clean noisy.en-es.tsv -o - --report report.json")
    assert done.stdout == KEPT


def test_dropped_pairs_can_go_to_standard_output() -> None:
    done = run("clean noisy.en-es.tsv -o out.tsv --rejected -")
    assert [line.split("\t")[0] for line in done.stdout.splitlines()] == [
        *("empty", "control-characters", "identical", "duplicate"),
    ]
    assert not Path("-").exists()


def test_a_rule_of_the_present_folder_is_found() -> None:
    done = run("clean - -o - --rule my_rules:no_urls", stdin="see http://x\tmira http://x\n" + GOOD)
    assert done.stdout == GOOD
    assert re.search(r"^my_rules:no_urls +1 +see http://x ⇥ mira http://x", done.stderr, re.MULTILINE)


@pytest.mark.parametrize("command", ["clean noisy.en-es.tsv -o out.tsv", "stats noisy.en-es.tsv --pieces 0"])
def test_pipes_get_no_escape_codes_and_no_control_characters(command: str) -> None:
    done = run(command, environment={"TERM": "xterm-256color"})
    assert not set(done.stderr + done.stdout) & set("\x1b\x07\r\u202e")


def on_a_terminal(arguments: str, environment: dict[str, str]) -> str:
    """What a terminal gets from standard output and standard error."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [*COMMAND, *shlex.split(arguments)], stdout=theirs, stderr=theirs, env=os.environ | environment
    )
    os.close(theirs)
    seen = b""
    with suppress(OSError):
        while part := os.read(ours, 4096):
            seen += part
    os.close(ours)
    assert process.wait() == 0
    return seen.decode()


@pytest.mark.parametrize("command", ["clean noisy.en-es.tsv -o out.tsv", "stats noisy.en-es.tsv --pieces 0"])
def test_a_terminal_gets_no_colour_it_did_not_ask_for_and_nothing_of_the_text_s(command: str) -> None:
    seen = on_a_terminal(command, {"NO_COLOR": "1", "TERM": "xterm-256color"})
    neither = {"\x1b[0m", "\x1b[1m", "\x1b[1;3m", "\x1b[K"}  # bold is no colour, nor is a line cleared
    assert set(re.findall(r"\x1b\[[0-9;]*[a-zA-Z]?", seen)) <= neither
    assert "\x07" not in seen
    assert "\u202e" not in seen


@pytest.mark.parametrize("command", ["clean noisy.en-es.tsv -o out.tsv", "stats noisy.en-es.tsv --pieces 16"])
def test_a_narrow_terminal_cuts_no_name_short(command: str) -> None:
    done = run(command, environment={"COLUMNS": "40"})
    lines = (done.stdout + done.stderr).splitlines()
    assert all(len(line) <= 40 for line in lines), lines
    assert any(line.startswith("control-characters ") for line in lines)


def test_an_error_stands_on_a_line_of_its_own() -> None:
    Path("long.tsv").write_text(GOOD * 200_000 + "no tab\n")
    ours, theirs = pty.openpty()
    process = subprocess.Popen([*COMMAND, "convert", "long.tsv", "-o", "out.tsv"], stderr=theirs)
    os.close(theirs)
    seen = b""
    with suppress(OSError):
        while part := os.read(ours, 4096):
            seen += part
    os.close(ours)
    assert process.wait() == 1
    assert re.search(rb"(?:^|\r\x1b\[K)error: long\.tsv, line 200001: expected 2 columns, got 1", seen), seen


@pytest.mark.parametrize(
    ("arguments", "message", "hint"),
    [
        ("clean noisy.tsv -o out.tsv --rule lenght-ratio", "no rule 'lenght-ratio'", "did you mean length-ratio?"),
        ("clean noisy.tsv -o out.tsv --without identicle", "no rule 'identicle'", "did you mean identical?"),
        ("clean noisy.tsv -o out.tsv --rule length-ratio=big", "expected a number from 0 after the name", ""),
        ("clean noisy.tsv -o out.tsv --rule empty=1", "rule empty: expected no limit", ""),
        ("clean noisy.tsv -o out.tsv --rule nowhere:f", "rule nowhere:f: No module named 'nowhere'", "module:name"),
        ("clean noisy.tsv -o out.tsv --rule wrong-script", "rule wrong-script: needs the languages", ""),
        ("clean noisy.tsv -o out.tsv --preset heavy", "'heavy' is not one of 'none', 'light', 'strict'", "--help"),
        ("clean noisy.tsv -o - --json", "two outputs cannot both go to standard output", "a place of its own"),
        ("clean noisy.tsv -o - --report -", "two outputs cannot both go to standard output", "a place of its own"),
        ("clean noisy.tsv -o - --rejected -", "two outputs cannot both go to standard output", "a place of its own"),
        ("clean noisy.tsv -o a.tsv --rejected a.tsv", "two outputs cannot both go to a.tsv", "a place of its own"),
        ("clean noisy.tsv -o a.tsv --report ./a.tsv", "two outputs cannot both go to ./a.tsv", "a place of its own"),
        ("clean noisy.tsv -o a -o a", "two outputs cannot both go to a", "a place of its own"),
        ("clean noisy.tsv", "Missing option '--output' / '-o'", "calque corpus clean --help"),
        ("clean -o out.tsv", "Missing argument 'BITEXT...'", "calque corpus clean --help"),
        ("clean noisy.tsv -o out.tsv --threads 0", "threads: expected 1 or more, got 0", ""),
        ("clean noisy.tsv -o out.tsv --languages en", "requires 2 arguments", ""),
        ("clean noisy.tsv -o out.tsv --languages en ?", "'?' is not a language code", "like en"),
        ("clean nowhere.tsv -o out.tsv", "cannot read nowhere.tsv: No such file", ""),
        ("convert folder -o out.tsv", "cannot read folder: Is a directory", ""),
        ("convert noisy.tsv -o out.dat", "out.dat: the name does not say which format to write", "--to"),
        ("convert noisy.tsv -o out.tsv --to cake", "cannot write 'cake'", "one of tsv, "),
        ("convert noisy.tsv -o out.tsv --format cake", "no format 'cake'", "one of tsv, "),
        ("convert noisy.tsv -o a -o b -o c", "expected one output, or two for a parallel corpus, got 3", ""),
        ("convert noisy.tsv -o a -o -", "two outputs are the two files of a parallel corpus", "or pass one -o"),
        ("convert noisy.tsv -o out --to moses", "named by their two languages", "--languages en es"),
        ("convert noisy.tsv -o - --to parquet", "parquet cannot be written to standard output", "-o"),
        ("stats noisy.tsv --pieces -1", "-1 is not in the range", "calque corpus stats --help"),
        ("stats noisy.tsv --pieces 3", "pieces: expected 0, or 16 or more, got 3", ""),
        ("stats nowhere.tsv", "cannot read nowhere.tsv: No such file", ""),
        ("polish noisy.tsv", "calque corpus has no command 'polish'", "calque corpus --help"),
    ],
)
def test_mistakes_of_usage(capsys: pytest.CaptureFixture[str], arguments: str, message: str, hint: str) -> None:
    code, got_message, got_hint = fail(capsys, arguments)
    assert message in got_message
    assert hint in got_hint
    assert code == 2


@pytest.mark.parametrize(
    ("arguments", "message", "hint"),
    [
        ("clean side.en -o out.tsv", "side.en, line 1: no tab, so this is one side", "name two parallel files"),
        ("clean three.tsv -o out.tsv", "three.tsv, line 1: expected 2 columns, got 3", "--columns 1,2"),
        ("clean empty.tsv -o out.tsv", "empty.tsv is empty", "holds sentence pairs"),
        ("clean good.en-es.tsv german.en-de.tsv -o out.tsv", "is en-de, but good.en-es.tsv is en-es", "--languages"),
        ("clean noisy.tsv -o nowhere/out.tsv", "cannot write nowhere/out.tsv: No such file", "another place"),
        ("clean noisy.tsv -o out.tsv --rejected nowhere/x.tsv", "cannot write nowhere/x.tsv", "another place"),
        ("convert noisy.tsv -o folder --to tsv", "cannot write folder: Is a directory", "another place"),
        ("stats empty.tsv", "empty.tsv is empty", "holds sentence pairs"),
        ("stats good.en-es.tsv german.en-de.tsv", "is en-de, but good.en-es.tsv is en-es", "one language pair"),
    ],
)
def test_mistakes_in_the_data(capsys: pytest.CaptureFixture[str], arguments: str, message: str, hint: str) -> None:
    code, got_message, got_hint = fail(capsys, arguments)
    assert message in got_message
    assert hint in got_hint
    assert code == 1


def small_files() -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000))


@pytest.mark.parametrize(
    "outs", ["-o out.tsv", "-o out.en -o out.es", "-o out.tsv.gz", "-o out.tsv.zst", "-o kept.tsv --rejected out.tsv"]
)
def test_a_full_disk_is_an_error_and_leaves_nothing_half_written(outs: str) -> None:
    lines = "".join(f"{os.urandom(20).hex()} dog\t{os.urandom(20).hex()} perro\n" for _ in range(3000))
    Path("big.tsv").write_text(lines if "kept" not in outs else lines.replace(" perro", " \x00"))
    before = {path.name for path in Path().iterdir()}
    done = run(f"clean big.tsv {outs} --without too-few-letters", before=small_files)
    assert (done.returncode, done.stdout) == (1, "")
    assert re.fullmatch(r"error: cannot write out\.\S+: File too large\n\nhint: nothing was changed; .*\n", done.stderr)
    assert {path.name for path in Path().iterdir()} == before


@pytest.mark.parametrize(
    "command",
    [
        "convert noisy.tsv -o -",
        "clean noisy.tsv -o -",
        "clean noisy.tsv -o x.tsv --json",
        "stats noisy.tsv --pieces 0 --json",
    ],
)
def test_standard_output_that_is_full_is_an_error(command: str) -> None:
    with open("/dev/full", "wb") as full:
        done = subprocess.run([*COMMAND, *command.split()], stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 1
    assert "No space left on device" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_device_is_written_to_and_not_replaced() -> None:
    for name in ("full", "null"):
        Path(name).symlink_to(f"/dev/{name}")
    done = run("clean noisy.tsv -o out.tsv --rejected full")
    assert done.returncode == 1
    assert "cannot write full: No space left on device" in done.stderr
    assert run("clean noisy.tsv -o out.tsv --rejected null").returncode == 0
    assert Path("full").is_char_device()
    assert Path("null").is_char_device()


@pytest.mark.parametrize("options", ["", "--rejected dropped.tsv"])
def test_a_reader_that_leaves_early_ends_the_command_quietly(options: str) -> None:
    Path("long.tsv").write_text(GOOD * 50_000)
    command = [*COMMAND, *f"clean long.tsv -o - --preset none {options}".split()]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline() == GOOD.encode()
        process.stdout.close()
        assert process.stderr.read() == b""
    assert not Path("dropped.tsv").exists()


def test_convert_says_what_it_wrote(capsys: pytest.CaptureFixture[str]) -> None:
    assert printed(capsys, "convert noisy.en-es.tsv -o a.en -o a.es") == ("", "a.en a.es: 7 pairs of en-es\n")
    assert printed(capsys, "convert noisy.tsv -o b.tsv.xz") == ("", "b.tsv.xz: 7 pairs\n")
    assert printed(capsys, "convert good.en-es.tsv -o -") == (GOOD, "")
