"""Two that train, or mine, in one folder at once: the second is refused, and the first does not notice."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import calque
from calque.errors import UsageError
from calque.locks import occupied
from calque.mining import MiningConfig
from calque.tasks.mine import mine_files

OPTIONS: dict[str, Any] = {"vocabulary": "word", "epochs": 1, "dimension": 8}
TRAIN = [sys.executable, "-c", "from calque.cli import main; main()", "train"]
WAIT_IN_THE_MIDDLE = """
import sys, calque
from calque.tasks.train import Watcher
def wait(progress):
    print("trains", flush=True)
    sys.stdin.read()
calque.train(sys.argv[1], sys.argv[2], vocabulary="word", epochs=1, dimension=8, watcher=Watcher(progress=wait))
"""


@pytest.fixture
def bitext(tmp_path: Path) -> Path:
    path = tmp_path / "text.en-es.tsv"
    path.write_text("".join(f"dog {number % 7} runs\tperro {number % 7} corre\n" for number in range(300)))
    return path


def test_what_still_reads_its_pipe_keeps_its_folder(bitext: Path, tmp_path: Path) -> None:
    out = tmp_path / "model"
    options = ["--out", str(out), "--vocabulary", "word", "--epochs", "1", "--dimension", "8"]
    first = subprocess.Popen([*TRAIN, "-", *options], stdin=subprocess.PIPE, stderr=subprocess.DEVNULL)
    assert first.stdin is not None
    end = time.monotonic() + 60
    while not list(out.glob(".standard-input.*")):
        assert time.monotonic() < end
        time.sleep(0.02)
    with pytest.raises(UsageError, match=f"another process trains in {out}"):
        calque.train(bitext, out, **OPTIONS)
    first.stdin.write(bitext.read_bytes())
    first.stdin.close()
    assert first.wait(60) == 0
    assert calque.load(out).dimension == 8


@pytest.mark.parametrize("killed", [False, True])
def test_a_training_is_resumed_once_nobody_trains_there(bitext: Path, tmp_path: Path, killed: bool) -> None:
    out = tmp_path / "model"
    first = subprocess.Popen(
        [sys.executable, "-c", WAIT_IN_THE_MIDDLE, str(bitext), str(out)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert first.stdin is not None
    assert first.stdout is not None
    assert first.stdout.readline() == "trains\n"
    with pytest.raises(UsageError, match=f"another process trains in {out}"):
        calque.resume(out)
    if killed:
        first.kill()
        first.wait(60)
        assert calque.resume(out).dimension == 8
        return
    first.stdin.close()
    assert first.wait(60) == 0
    with pytest.raises(UsageError, match="has ended"):
        calque.resume(out)


@pytest.mark.parametrize("work", [None, "work"])
def test_mining_is_alone_in_its_folder(small_model: calque.Model, tmp_path: Path, work: str | None) -> None:
    (tmp_path / "en").write_text("A dog runs.\n")
    (tmp_path / "es").write_text("Un perro corre.\n")
    out = tmp_path / "pairs.tsv"
    folder = Path(f"{out}.mining") if work is None else tmp_path / work

    def mine() -> None:
        mine_files(
            tmp_path / "en",
            tmp_path / "es",
            out,
            small_model,
            MiningConfig(threads=1),
            work=None if work is None else folder,
        )

    with occupied(folder, "mines"):
        with pytest.raises(UsageError, match=f"another process mines in {folder}"):
            mine()
        assert list(folder.iterdir()) == []
    assert not folder.exists()
    mine()
    assert out.exists()


def test_a_start_that_fails_leaves_none_of_the_folders_that_it_made(tmp_path: Path) -> None:
    (tmp_path / "empty.tsv").touch()
    (tmp_path / "mine").mkdir()
    for out in (tmp_path / "mine", tmp_path / "some" / "where"):
        with pytest.raises(calque.CalqueError, match="is empty"):
            calque.train(tmp_path / "empty.tsv", out, **OPTIONS)
    assert {path.name for path in tmp_path.iterdir()} == {"empty.tsv", "mine"}


def test_without_locks_training_goes_on(bitext: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def without_locks(file: int) -> bool:
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr("calque.locks.hold", without_locks)
    monkeypatch.setattr("calque.held.hold", without_locks)
    assert calque.train(bitext, tmp_path / "model", **OPTIONS).dimension == 8
