"""Files that are either wholly there or not at all."""

from __future__ import annotations

import contextlib
import errno
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from .errors import CalqueError
from .held import is_ours, remove_if_abandoned

_UNFINISHED = ".unfinished"
_MOST_BYTES = 255 - len(f"..12345678{_UNFINISHED}")  # of a file's name that one under way can begin with


@contextlib.contextmanager
def writing(path: str | Path) -> Iterator[IO[bytes]]:
    """A file to write to that takes the place of `path` when the block ends well, and leaves no trace otherwise.

    What a process that was killed had been writing to the same place is cleared away first. A pipe or a device is
    written to as it is: taking its place would break it. A link stays, and what it leads to is replaced.

    Raises:
        CalqueError: the disk is full or the folder cannot be written to.
    """
    named, path = Path(path), Path(os.path.realpath(path))
    unfinished: str | None = None
    try:
        if path.exists() and not (path.is_file() or path.is_dir()):
            with open(path, "wb") as special:
                yield special
            return
        for each in path.parent.glob(f".*{_UNFINISHED}"):
            if is_unfinished(each, path.name):
                remove_if_abandoned(each, os.unlink)
        with _new_file(path) as file:
            unfinished = file.name
            yield file
            file.flush()
            os.fsync(file.fileno())
            os.chmod(file.name, 0o666 & ~_umask())
            if sys.platform != "win32":  # which replaces no open file; elsewhere it is held until it has its name
                os.replace(file.name, path)
                unfinished = None
        if unfinished is not None:
            os.replace(unfinished, path)
            unfinished = None
    except BrokenPipeError:
        raise  # a reader of something else has gone
    except OSError as problem:
        raise cannot_write(named, problem) from problem
    finally:
        if unfinished is not None:
            with contextlib.suppress(OSError):
                os.unlink(unfinished)


def _new_file(path: Path) -> IO[bytes]:
    """Beside `path`, and held by this process, so that others can tell when nobody writes to it any more."""
    import tempfile  # whoever only reads need not wait for it

    while True:
        file: IO[bytes] = tempfile.NamedTemporaryFile(  # noqa: SIM115 (closed by whoever writes)
            dir=path.parent, prefix=f".{_cut(path.name)}.", suffix=_UNFINISHED, delete=False
        )
        if is_ours(file.name, file.fileno()):
            return file
        file.close()


def is_unfinished(path: Path, name: str) -> bool:
    """Whether a file is what somebody writes, or wrote, that is to become `name`."""
    return re.fullmatch(rf"\.{re.escape(_cut(name))}\.[^.]+{re.escape(_UNFINISHED)}", path.name) is not None


def remove_unfinished(folder: Path) -> None:
    """Deletes what processes that were killed had been writing to a folder."""
    for path in folder.glob(f".*{_UNFINISHED}"):
        remove_if_abandoned(path, os.unlink)


def _cut(name: str) -> str:
    """As much of a name as leaves room for what is added to it, in whole characters."""
    while len(os.fsencode(name)) > _MOST_BYTES:
        name = name[:-1]
    return name


def write_text(path: str | Path, text: str) -> None:
    with writing(path) as file:
        file.write(text.encode("utf-8"))


def cannot_write(path: Path, problem: OSError) -> CalqueError:
    reason = problem.strerror or str(problem)
    hint = "nothing was changed; free some space or choose another place"
    if problem.errno == errno.ENAMETOOLONG:
        hint = "nothing was changed; choose a shorter name"
    elif os.path.isdir(path):
        hint = "nothing was changed; that is a folder, so choose another place"
    elif not os.path.isdir(path.parent):
        hint = f"nothing was changed; there is no folder {path.parent}: make it, or choose another place"
    return CalqueError(f"cannot write {path}: {reason}", hint=hint)


def cannot_write_temporary(problem: OSError) -> CalqueError:
    """Of files that nobody names; where there is no folder at all for them, the reason lists those that were tried."""
    import tempfile

    place = f" to {tempfile.tempdir}" if tempfile.tempdir else ""
    return CalqueError(
        f"cannot write temporary files{place}: {problem.strerror or problem}",
        hint="nothing was changed; free some space there, or set TMPDIR to another folder",
    )


def _umask() -> int:
    """Where Linux does not tell it, it must be changed to be known, and what other threads make then is open to all."""
    with contextlib.suppress(OSError, StopIteration), open("/proc/self/status") as status:
        return int(next(line for line in status if line.startswith("Umask:")).split()[1], 8)
    mask = os.umask(0)
    os.umask(mask)
    return mask
