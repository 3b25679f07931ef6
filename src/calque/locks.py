"""One process at a time: a lock that the system takes back when its holder dies, however it dies."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from .atomic import cannot_write
from .held import hold, is_still

_SECONDS = 0.05  # between looks at a lock that somebody else holds


@contextlib.contextmanager
def alone(path: Path) -> Iterator[None]:
    """Waits until no other process is within such a block for the same path; `PATH.lock` is there meanwhile."""
    lock = path.with_name(path.name + ".lock")
    file = _take(lock)
    try:
        yield
    finally:
        with contextlib.suppress(OSError):
            lock.unlink()  # while it is held, so that nobody else's is deleted
        os.close(file)


def _take(lock: Path) -> int:
    while True:
        try:
            lock.parent.mkdir(parents=True, exist_ok=True)
            file = os.open(lock, os.O_RDWR | os.O_CREAT, 0o666)
        except PermissionError as problem:
            if sys.platform != "win32":
                raise cannot_write(lock, problem) from problem
            time.sleep(_SECONDS)  # another process is just deleting it
            continue
        except OSError as problem:
            raise cannot_write(lock, problem) from problem
        try:
            if _locked(file) and is_still(lock, file):
                return file
        except BaseException:
            os.close(file)
            raise
        os.close(file)
        time.sleep(_SECONDS)


def _locked(file: int) -> bool:
    try:
        return hold(file)
    except OSError:
        return True  # a file system without locks: checksums still guard the result
