"""Data on standard output, everything else on standard error; progress on a terminal only."""

from __future__ import annotations

import os
import pty
import re
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from calque.cli.progress import ProgressLine, duration
from calque.model import Model

COMMAND = [sys.executable, "-c", "from calque.cli import main; main()"]


def read_all(terminal: int) -> str:
    """What a terminal got until its other end was closed."""
    seen = b""
    with suppress(OSError):
        while part := os.read(terminal, 4096):
            seen += part
    os.close(terminal)
    return seen.decode()


def on_a_terminal(arguments: list[str]) -> tuple[int, str, str]:
    """Exit code, standard output, and what a terminal got as standard error."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen([*COMMAND, *arguments], stdout=subprocess.PIPE, stderr=theirs, text=True)
    os.close(theirs)
    seen = read_all(ours)
    out, _ = process.communicate()
    return process.returncode, out, seen


def test_training_on_a_terminal_rewrites_one_line(demo_bitext: dict[str, Path], tmp_path: Path) -> None:
    options = ["--vocabulary-size", "400", "--epochs", "40", "--out", str(tmp_path / "m")]
    code, out, seen = on_a_terminal(["train", str(demo_bitext["en-es"]), str(demo_bitext["en-de"]), *options])
    assert (code, out) == (0, "")
    assert "\rreading the bitext: " in seen
    assert re.search(r"\repoch \d+/40  loss \d\.\d+  [\d,]+ pairs/s  mega-batch \d+  \d+:\d\d left", seen)
    assert re.search(r"\repoch 40/40  loss \d\.\d+  [\d,]+ pairs/s  mega-batch \d+ *\r?\n", seen)


def test_training_into_a_pipe_writes_plain_lines(demo_bitext: dict[str, Path], tmp_path: Path) -> None:
    options = ["--vocabulary-size", "400", "--dimension", "16", "--epochs", "3"]
    done = subprocess.run(
        [*COMMAND, "train", str(demo_bitext["en-es"]), "--out", str(tmp_path / "m"), *options], capture_output=True
    )
    assert done.stdout == b""
    assert b"\r" not in done.stderr
    assert b"\x1b" not in done.stderr
    assert len(done.stderr.splitlines()) == 5


def test_encoding_on_a_terminal_clears_its_progress(small_model: Model, tmp_path: Path) -> None:
    (tmp_path / "text.txt").write_text("A dog runs.\n" * 100_000)
    out = tmp_path / "vectors.npy"
    code, _, seen = on_a_terminal(["encode", "-m", str(small_model.path), str(tmp_path / "text.txt"), "-o", str(out)])
    assert code == 0
    assert re.search(r"\r[\d,]+ lines, [\d,]+ lines/s", seen)
    assert re.search(r"\r +\r[^\r]+: 100,000 × 64\r\n$", seen)


@pytest.mark.parametrize("json", [[], ["--json"]])
def test_a_reader_that_leaves_early_ends_the_command_quietly(
    small_model: Model, tmp_path: Path, json: list[str]
) -> None:
    (tmp_path / "pairs.tsv").write_text("A dog runs.\tUn perro corre.\n" * 50_000)
    command = [*COMMAND, "similarity", "-m", str(small_model.path), "--pairs", str(tmp_path / "pairs.tsv"), *json]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""


def test_a_reader_of_vectors_that_leaves_early_ends_the_command_quietly(small_model: Model, tmp_path: Path) -> None:
    (tmp_path / "text.txt").write_text("A dog runs.\n" * 100_000)
    command = [*COMMAND, "encode", "-m", str(small_model.path), str(tmp_path / "text.txt")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert len(process.stdout.read(1000)) == 1000
        process.stdout.close()
        assert process.stderr.read() == b""


def test_an_interrupted_command_says_so_and_exits_with_130(small_model: Model) -> None:
    command = [*COMMAND, "encode", "-m", str(small_model.path)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        mapped = str(small_model.path)
        while mapped not in Path(f"/proc/{process.pid}/maps").read_text():  # until it has opened the model
            time.sleep(0.01)
        time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        _, told = process.communicate()
    assert (process.returncode, told.strip()) == (130, "error: interrupted")


def written_to_terminal(text: str, then: str, monkeypatch: pytest.MonkeyPatch) -> str:
    ours, theirs = pty.openpty()
    with open(theirs, "w", encoding="utf-8") as terminal:
        monkeypatch.setattr(sys, "stderr", terminal)
        line = ProgressLine()
        line.show(text)
        line.keep(then) if then else line.clear()
    return read_all(ours)


def test_a_shorter_line_covers_a_longer_one(monkeypatch: pytest.MonkeyPatch) -> None:
    assert written_to_terminal("a long line", "short", monkeypatch) == "\ra long line\rshort      \r\n"


def test_a_cleared_line_leaves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    assert written_to_terminal("a line", "", monkeypatch) == "\ra line\r      \r"


def test_in_a_pipe_only_lines_to_keep_are_written(capsys: pytest.CaptureFixture[str]) -> None:
    line = ProgressLine()
    line.show("passing")
    line.keep("lasting")
    line.clear()
    assert capsys.readouterr().err == "lasting\n"


@pytest.mark.parametrize(
    ("seconds", "written"), [(0, "0:00"), (75, "1:15"), (3599.6, "1:00:00"), (7384, "2:03:04"), (90_000, "25:00:00")]
)
def test_durations_read_like_a_clock(seconds: float, written: str) -> None:
    assert duration(seconds) == written
