"""Files that belong to a process for as long as it lives: the system takes the lock back, however the process dies."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable
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


def is_ours(path: str | Path, file: int) -> bool:
    """Whether what this process has just made is now held by it; if not, somebody took it for abandoned before.

    On a file system without locks it is: nobody there takes anything for abandoned.
    """
    try:
        return hold(file) and is_still(path, file)
    except OSError:
        return True


def remove_if_abandoned(path: str | Path, remove: Callable[[str | Path], object]) -> None:
    """Removes what nobody holds; where that cannot be told, it stays.

    It is held while it is removed, so that whoever has just made it, and finds it held, knows that it goes.
    """
    try:
        file = os.open(path, os.O_RDONLY if os.path.isdir(path) else os.O_RDWR)
    except OSError:
        return
    with contextlib.suppress(OSError):
        try:
            abandoned = hold(file)
            if abandoned and sys.platform != "win32":
                remove(path)
        finally:
            os.close(file)
        if abandoned and sys.platform == "win32":  # which removes no open file: none that its maker has open, either
            remove(path)
