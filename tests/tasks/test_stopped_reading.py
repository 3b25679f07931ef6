"""A training that is stopped while it first reads its bitext keeps what it has, above all what came through a pipe."""

from __future__ import annotations

import bz2
import errno
import io
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import calque
from calque.errors import CalqueError, CorpusError, Stopped, UsageError
from calque.tasks.saved_input import saved_input
from calque.tasks.train import Watcher

OPTIONS: dict[str, Any] = {"vocabulary": "word", "epochs": 1, "dimension": 8, "threads": 1, "languages": ["en", "es"]}
BITEXT = "".join(f"dog {number % 7} runs\tperro {number % 7} corre\n" for number in range(300)).encode()
INTERRUPTED_BY_A_SIGNAL = """
import os, sys
from calque.cli import main
from calque.training import large_corpus
def interrupted(*given):
    os.kill(os.getpid(), int(sys.argv.pop()))
large_corpus.read_chunks = interrupted
main(sys.argv[1:-1])
"""


@pytest.fixture
def piped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(BITEXT)))


def failing(problem: BaseException) -> Watcher:
    def fail(pairs: int) -> None:
        raise problem

    return Watcher(pairs_read=fail)


def train_plainly(folder: Path) -> calque.Model:
    (folder / "plain.tsv").write_bytes(BITEXT)
    return calque.train(folder / "plain.tsv", folder / "plain", **OPTIONS)


@pytest.mark.parametrize(
    ("problem", "told"),
    [
        (KeyboardInterrupt(), "stopped; everything so far is saved"),
        (OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)), "cannot write .*model: No space left"),
        (OSError(errno.EIO, os.strerror(errno.EIO)), "Input/output error"),
        (CalqueError("cannot write tokens.bin: No space left", hint="nothing was changed"), "cannot write tokens.bin"),
    ],
)
def test_all_that_can_be_mended_leaves_a_training_to_resume(
    piped: None, tmp_path: Path, problem: BaseException, told: str
) -> None:
    out = tmp_path / "model"
    with pytest.raises(CalqueError, match=told) as raised:
        calque.train("-", out, watcher=failing(problem), **OPTIONS)
    assert isinstance(raised.value, Stopped) == isinstance(problem, KeyboardInterrupt)
    assert f"calque train --resume {out}" in str(raised.value.hint)
    assert {path.name for path in out.iterdir()} == {"standard-input", "training.json", "vocab.txt"}
    assert calque.resume(out, threads=1).checksum == train_plainly(tmp_path).checksum


@pytest.mark.parametrize("number", [errno.EIO, errno.ESTALE, errno.ENOENT])
@pytest.mark.parametrize("kind", ["opening", "reading"])
def test_a_disk_that_fails_to_give_the_bitext_leaves_a_training_to_resume(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, number: int
) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(BITEXT)))
    out = tmp_path / "model"

    def fail(*given: object) -> None:
        raise OSError(number, os.strerror(number))

    def break_the_disk(stage: str) -> None:
        if stage == "reading" and kind == "opening":
            monkeypatch.setattr("calque.corpus.files.open", fail, raising=False)
        elif stage == "reading":
            monkeypatch.setattr("calque.corpus.files._decompressed", lambda file: io.BufferedReader(Broken(number)))

    with pytest.raises(UsageError if kind == "opening" else CorpusError, match=os.strerror(number)) as raised:
        calque.train("-", out, watcher=Watcher(stage=break_the_disk), **OPTIONS)
    assert f"calque train --resume {out}" in str(raised.value.hint)
    monkeypatch.undo()
    assert calque.resume(out, threads=1).checksum == train_plainly(tmp_path).checksum


def test_a_compressed_bitext_that_turns_out_to_be_broken_is_wrong_input(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(bz2.compress(BITEXT))))

    def damage(stage: str) -> None:
        if stage == "reading":
            copy = tmp_path / "model" / "standard-input"
            copy.write_bytes(copy.read_bytes()[:30] + bytes(100))

    with pytest.raises(CorpusError, match="broken or cut short"):
        calque.train("-", tmp_path / "model", watcher=Watcher(stage=damage), **OPTIONS)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("problem", [CorpusError("not so"), UsageError("not so")])
def test_wrong_input_leaves_nothing(piped: None, tmp_path: Path, problem: CalqueError) -> None:
    with pytest.raises(CalqueError, match="not so"):
        calque.train("-", tmp_path / "model", watcher=failing(problem), **OPTIONS)
    assert list(tmp_path.iterdir()) == []


def test_before_there_is_a_vocabulary_nothing_is_kept(piped: None, tmp_path: Path) -> None:
    def stop(stage: str) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        calque.train("-", tmp_path / "model", watcher=Watcher(stage=stop), **OPTIONS)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_while_the_bitext_is_read_is_a_stop_that_can_be_resumed(tmp_path: Path, how: signal.Signals) -> None:
    out = tmp_path / "model"
    arguments = ["train", "-", "--out", str(out), "--vocabulary", "word", "--epochs", "1", "--dimension", "8"]
    arguments += ["--threads", "1", "--languages", "en", "es"]
    command = [sys.executable, "-c", INTERRUPTED_BY_A_SIGNAL, *arguments, str(int(how))]
    stopped = subprocess.run(command, input=BITEXT, capture_output=True)
    assert stopped.returncode == 130, stopped.stderr
    assert f"hint: calque train --resume {out}" in stopped.stderr.decode()
    assert calque.resume(out, threads=1).checksum == train_plainly(tmp_path).checksum


class Broken(io.RawIOBase):
    def __init__(self, number: int = errno.EIO) -> None:
        self._number = number

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        raise OSError(self._number, os.strerror(self._number))


def test_a_pipe_that_cannot_be_read_is_not_a_copy_that_cannot_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BufferedReader(Broken())))
    with pytest.raises(CorpusError, match="cannot read standard input: Input/output error"):
        calque.train("-", tmp_path / "model", **OPTIONS)
    assert list(tmp_path.iterdir()) == []


def test_what_goes_wrong_with_the_copied_text_is_passed_on_as_it_is(piped: None, tmp_path: Path) -> None:
    problem = OSError(errno.EIO, os.strerror(errno.EIO))
    with pytest.raises(OSError, match="Input/output") as raised, saved_input(["-"], tmp_path):
        raise problem
    assert raised.value is problem
    assert list(tmp_path.iterdir()) == []
