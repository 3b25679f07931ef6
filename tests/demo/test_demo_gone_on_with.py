"""A demonstration that was killed is gone on with by the same command, and nothing of anybody else's is touched."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import calque
from calque.demo import can_show_in, run_demo
from calque.errors import Stopped
from calque.training import Progress

KILLED_IN_ITS_TRAINING = """
import os, sys
from pathlib import Path
from calque.demo import demo, run_demo
demo._EPOCHS = 1
run_demo(Path(sys.argv[1]), 1, lambda progress: os._exit(9))
"""


@pytest.fixture(autouse=True)
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("calque.demo.demo._EPOCHS", 1)


def test_what_was_killed_in_its_training_is_gone_on_with_and_then_done(tmp_path: Path) -> None:
    killed, whole = tmp_path / "killed", tmp_path / "whole"
    assert subprocess.run([sys.executable, "-c", KILLED_IN_ITS_TRAINING, str(killed)]).returncode == 9
    assert (killed / "model" / "training.json").exists()
    for out in (killed, whole):
        assert can_show_in(out)
        run_demo(out, 1)
        assert not can_show_in(out)
    assert sorted(path.name for path in killed.iterdir()) == sorted(path.name for path in whole.iterdir())
    assert calque.load(killed / "model").checksum == calque.load(whole / "model").checksum


def test_what_was_killed_after_its_training_keeps_the_model(tmp_path: Path) -> None:
    run_demo(tmp_path, 1)
    written = (tmp_path / "model" / "config.json").stat().st_mtime_ns
    (tmp_path / "untrained" / "config.json").unlink()  # the last to be written
    assert can_show_in(tmp_path)
    run_demo(tmp_path, 1)
    assert (tmp_path / "model" / "config.json").stat().st_mtime_ns == written


def test_what_was_killed_while_it_wrote_its_bitexts_can_be_gone_on_with(tmp_path: Path) -> None:
    (tmp_path / "demo.en-es.tsv").touch()
    (tmp_path / ".demo.en-de.tsv.k1ll3d.unfinished").touch()
    assert can_show_in(tmp_path)


def test_a_folder_of_somebody_else_is_no_place_for_it(tmp_path: Path) -> None:
    (tmp_path / "model").mkdir()  # without the bitexts, which come first
    assert not can_show_in(tmp_path)
    (tmp_path / "model").rmdir()
    (tmp_path / "letter.txt").touch()
    assert not can_show_in(tmp_path)
    assert not can_show_in(tmp_path / "letter.txt")


def test_one_that_is_stopped_without_a_folder_says_that_nothing_is_saved() -> None:
    def stop(progress: Progress) -> None:
        os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(Stopped, match="nothing is saved") as problem:
        run_demo(None, 1, stop)
    assert problem.value.hint == "with --out DIR, the same command goes on"
