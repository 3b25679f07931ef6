"""Files that belong to a process for as long as it lives: the system takes the lock back, however the process dies."""

from __future__ import annotations

import os
import sys
from pathlib import Path

if sys.platform == "win32":
    import msvcrt

    def hold(file: int) -> bool:
        """Whether the file is now this process's; not if another one holds it.

        Raises:
            OSError: the file system knows no locks.
        """
        try:
            msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:
    import fcntl

    def hold(file: int) -> bool:
        """Whether the file is now this process's; not if another one holds it.

        Raises:
            OSError: the file system knows no locks.
        """
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


def is_still(path: str | Path, file: int) -> bool:
    """Whether what we hold is what others see: it may have been deleted, or replaced, before we got it."""
    try:
        return os.path.samestat(os.stat(path), os.fstat(file))
    except FileNotFoundError:
        return False


def is_abandoned(path: str | Path) -> bool:
    """Whether whoever held it has gone; where that cannot be told, not."""
    try:
        file = os.open(path, os.O_RDONLY if os.path.isdir(path) else os.O_RDWR)
    except OSError:
        return False
    try:
        return hold(file)
    except OSError:
        return False
    finally:
        os.close(file)
