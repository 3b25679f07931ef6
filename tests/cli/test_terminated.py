"""SIGTERM ends a command as Ctrl-C does: temporary files go, and no signal is lost."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import calque

COMMAND = [sys.executable, "-c", "from calque.cli import main; main()"]


def test_a_terminated_command_clears_away_what_it_was_writing(small_model: calque.Model, tmp_path: Path) -> None:
    out = tmp_path / "vectors.npy"
    arguments = ["encode", "--model", str(small_model.path), "-", "-o", str(out)]
    process = subprocess.Popen([*COMMAND, *arguments], stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while process.poll() is None and not any(tmp_path.iterdir()):
        time.sleep(0.01)
    process.send_signal(signal.SIGTERM)
    process.wait()  # for text that never comes
    _, said = process.communicate()
    assert (process.returncode, said.strip()) == (130, "error: interrupted")
    assert list(tmp_path.iterdir()) == []


LOST = """
import signal, sys, time
from calque.cli.interrupts import interruptible

class Deaf:
    def __del__(self):
        signal.raise_signal(signal.{name})

try:
    with interruptible():
        Deaf()  # its destructor is interrupted, where Python only prints exceptions
        time.sleep(60)
except KeyboardInterrupt:
    sys.exit(130)
"""


@pytest.mark.parametrize("name", ["SIGTERM", "SIGINT"])
def test_an_interrupt_that_a_destructor_swallows_arrives_all_the_same(name: str) -> None:
    ended = subprocess.run([sys.executable, "-c", LOST.format(name=name)], capture_output=True, text=True, timeout=50)
    assert (ended.returncode, ended.stderr) == (130, "")


def test_other_exceptions_that_cannot_be_raised_are_still_reported() -> None:
    code = LOST.format(name="SIGTERM").replace("signal.raise_signal(signal.SIGTERM)", "1 / 0").replace("60", "0")
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=50)
    assert ended.returncode == 0
    assert "ZeroDivisionError" in ended.stderr
