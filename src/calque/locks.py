"""One process at a time: a lock that the system takes back when its holder dies, however it dies."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from .atomic import cannot_write
from .errors import UsageError
from .held import hold, is_still

_SECONDS = 0.05  # between looks at a lock that somebody else holds


@contextlib.contextmanager
def alone(path: Path) -> Iterator[bool]:
    """Waits until no other process is within such a block for the same path; `PATH.lock` is there meanwhile.

    Gives whether that is sure: a file system without locks keeps nobody out.
    """
    lock = path.with_name(path.name + ".lock")
    file, sure = _take(lock)
    try:
        yield sure
    finally:
        with contextlib.suppress(OSError):
            lock.unlink()  # while it is held, so that nobody else's is deleted
        os.close(file)


def _take(lock: Path) -> tuple[int, bool]:
    while True:
        file = _open(lock)
        if file is not None:
            try:
                held = _held(file)
                if held is None or (held and is_still(lock, file)):
                    return file, held is True
            except BaseException:
                os.close(file)
                raise
            os.close(file)
        time.sleep(_SECONDS)


def _open(lock: Path) -> int | None:
    """None if another process is just deleting it.

    One that another user left can only be read, and that is enough to hold it.
    """
    try:
        lock.parent.mkdir(parents=True, exist_ok=True)
        return os.open(lock, os.O_RDWR | os.O_CREAT, 0o666)
    except PermissionError as problem:
        if sys.platform == "win32":
            return None
        try:
            return os.open(lock, os.O_RDONLY)
        except FileNotFoundError:
            if os.access(lock.parent, os.W_OK):
                return None
        except OSError:
            pass
        raise cannot_write(lock, problem) from problem
    except OSError as problem:
        raise cannot_write(lock, problem) from problem


def _held(file: int) -> bool | None:
    """Whether it is ours now; None on a file system without locks.

    Work goes on there: what is fetched has a checksum, and whoever writes an index shares no file with another writer.
    """
    try:
        return hold(file)
    except OSError:
        return None


@contextlib.contextmanager
def occupied(folder: Path, doing: str, *, make: bool = True) -> Iterator[None]:
    """Within the block no other process `doing` the same is in the folder; what `make` makes goes again if left empty.

    What is no folder is left to whoever looks into it, and so is a folder that cannot be locked.

    Examples:
        >>> with occupied(folder, "trains"):  # elsewhere: "another process trains in my-model"
        ...     write_all(folder)

    Raises:
        UsageError: another process is.
        CalqueError: it cannot be made.
    """
    made = [each for each in (folder, *folder.parents) if not os.path.exists(each)] if make else []
    file: int | None = None
    try:
        file = _occupy(folder, doing, make)
        yield
    finally:
        for each in made:
            with contextlib.suppress(OSError):
                each.rmdir()
        if file is not None:
            os.close(file)


def _occupy(folder: Path, doing: str, make: bool) -> int | None:
    while True:
        try:
            if make:
                folder.mkdir(parents=True, exist_ok=True)
        except FileExistsError:
            return None
        except OSError as problem:
            raise cannot_write(folder, problem) from problem
        if not os.path.isdir(folder):  # to open a pipe would wait for its writer
            return None
        try:
            file = os.open(folder, os.O_RDONLY)
        except OSError:  # as always on Windows
            return None
        if _held(file) is False:
            os.close(file)
            raise UsageError(
                f"another process {doing} in {folder}", hint="wait until it has ended, or choose another folder"
            )
        if is_still(folder, file):
            return file
        os.close(file)  # of one that failed and took its folder away
