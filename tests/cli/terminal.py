"""A command on a terminal."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from contextlib import suppress

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
    environment = os.environ | {"TERM": "xterm", "COLUMNS": "120", "NO_COLOR": "1"}
    process = subprocess.Popen(
        [*COMMAND, *arguments], stdout=subprocess.PIPE, stderr=theirs, text=True, env=environment
    )
    os.close(theirs)
    seen = read_all(ours)
    out, _ = process.communicate()
    return process.returncode, out, seen
