"""One process at a time, and a lock that nobody has to clean up."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from calque.errors import CalqueError
from calque.held import hold
from calque.locks import alone

COUNT = """
import sys
from pathlib import Path
from calque.locks import alone
path = Path(sys.argv[1])
for _ in range(20):
    with alone(path):
        path.write_text(str(int(path.read_text()) + 1))
"""
HOLD = """
import sys, time
from pathlib import Path
from calque.locks import alone
with alone(Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(60)
"""


def test_no_two_processes_are_within_at_once(tmp_path: Path) -> None:
    """Reading a number and writing it back one higher loses counts otherwise."""
    path = tmp_path / "count"
    path.write_text("0")
    processes = [subprocess.Popen([sys.executable, "-c", COUNT, str(path)]) for _ in range(3)]
    assert [process.wait() for process in processes] == [0, 0, 0]
    assert path.read_text() == "60"


def test_a_lock_whose_holder_was_killed_is_free(tmp_path: Path) -> None:
    path = tmp_path / "thing"
    holder = subprocess.Popen([sys.executable, "-c", HOLD, str(path)], stdout=subprocess.PIPE, text=True)
    assert holder.stdout is not None
    assert holder.stdout.readline() == "held\n"
    assert (tmp_path / "thing.lock").exists()
    os.kill(holder.pid, signal.SIGKILL)
    holder.wait()
    begun = time.monotonic()
    with alone(path):
        assert time.monotonic() - begun < 30
    assert not (tmp_path / "thing.lock").exists()


@pytest.fixture
def of_another_user(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files can be read, and neither written nor made; root may always, so it cannot be tried with modes."""
    real = os.open

    def refusing(path: str | Path, flags: int, mode: int = 0o777) -> int:
        if flags & os.O_RDWR:
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return real(path, flags, mode)

    monkeypatch.setattr(os, "open", refusing)


@pytest.mark.usefixtures("of_another_user")
def test_a_lock_that_another_user_s_killed_process_left_is_free(tmp_path: Path) -> None:
    (tmp_path / "thing.lock").touch()
    with alone(tmp_path / "thing"):
        left = os.open(tmp_path / "thing.lock", os.O_RDONLY)
        assert not hold(left)
        os.close(left)


@pytest.mark.usefixtures("of_another_user")
def test_a_folder_that_cannot_be_written_to_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    with pytest.raises(CalqueError, match=r"cannot write .*thing\.lock: Permission denied"), alone(tmp_path / "thing"):
        pass
