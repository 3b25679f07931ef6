"""Data on standard output, everything else on standard error; progress on a terminal only."""

from __future__ import annotations

import re
import signal
import subprocess
import time
from pathlib import Path

import pytest
from terminal import COMMAND, on_a_terminal

from calque.model import Model


def test_training_on_a_terminal_rewrites_one_line(demo_bitext: dict[str, Path], tmp_path: Path) -> None:
    options = ["--vocabulary-size", "1500", "--epochs", "900", "--out", str(tmp_path / "m")]
    code, out, seen = on_a_terminal(["train", str(demo_bitext["en-es"]), str(demo_bitext["en-de"]), *options])
    assert (code, out) == (0, "")
    assert re.search(
        r"\r\x1b\[Ktraining  ━*─*  +\d+%  \d+:\d\d left  [\d,]+ pairs/s  epoch \d+/900  loss \d\.\d+\r", seen
    )
    assert re.search(r"\r\x1b\[Kepoch \d+/900  loss \d\.\d+  [\d,]+ pairs/s  mega-batch \d+\r\n", seen)


def test_training_into_a_pipe_writes_plain_lines(demo_bitext: dict[str, Path], tmp_path: Path) -> None:
    options = ["--vocabulary-size", "400", "--dimension", "16", "--epochs", "3"]
    done = subprocess.run(
        [*COMMAND, "train", str(demo_bitext["en-es"]), "--out", str(tmp_path / "m"), *options], capture_output=True
    )
    assert done.stdout == b""
    assert b"\r" not in done.stderr
    assert b"\x1b" not in done.stderr
    lines = done.stderr.decode().splitlines()
    assert [line.split()[0] for line in lines[:5]] == ["epoch", "epoch", "epoch", f"{tmp_path / 'm'}:", "try:"]
    assert [line for line in lines[5:] if "pairs are few" not in line] == []


def test_encoding_on_a_terminal_clears_its_progress(small_model: Model, tmp_path: Path) -> None:
    (tmp_path / "text.txt").write_text("A dog runs.\n" * 3_000_000)
    out = tmp_path / "vectors.raw"
    code, _, seen = on_a_terminal(["encode", "-m", str(small_model.path), str(tmp_path / "text.txt"), "-o", str(out)])
    assert code == 0
    assert re.search(r"\r\x1b\[Kencoding  ━*─* +\d+%", seen)
    assert re.search(r"\r\x1b\[K[^\r]+: 3,000,000 × 64\r\n$", seen)


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
