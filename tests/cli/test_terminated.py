"""SIGTERM ends a command as Ctrl-C does: temporary files go."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

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
