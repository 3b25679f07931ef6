"""Files that are either wholly there or not at all."""

from __future__ import annotations

import contextlib
import errno
import os
import re
import stat
import sys
from collections.abc import Iterator, Sequence
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
    with writing_all([path]) as (file,):
        yield file


@contextlib.contextmanager
def writing_all(paths: Sequence[str | Path]) -> Iterator[list[IO[bytes]]]:
    """As `writing`, of files that belong together: none takes its place before all of them are on disk.

    Raises:
        CalqueError: the disk is full or a folder cannot be written to.
    """
    outputs = [_Output(Path(path)) for path in paths]
    try:
        for output in outputs:
            with _told(output.named):
                output.open()
        try:
            yield [output.file for output in outputs]
        except BrokenPipeError:
            raise  # a reader of something else has gone
        except OSError as problem:
            if not outputs:
                raise
            failing = next(filter(_Output.is_stuck, outputs), outputs[0])
            raise cannot_write(failing.named, problem) from problem
        for output in outputs:
            with _told(output.named):
                output.finish()
        for number, output in enumerate(outputs):
            with _told(output.named, [before.named for before in outputs[:number]]):
                output.take_place()
    finally:
        for output in outputs:
            output.close()


class _Output:
    """A file under way and the place that it is to take, or a pipe or a device, which is written to as it is."""

    file: IO[bytes]

    def __init__(self, named: Path) -> None:
        self.named = named
        self._place = Path(os.path.realpath(named))
        self._unfinished: Path | None = None
        self._closing = contextlib.ExitStack()

    def open(self) -> None:
        if _is_special(self.named):  # by the name it was given: a pipe behind a link, such as /dev/stdout, has no other
            self.file = self._closing.enter_context(open(self.named, "wb"))  # noqa: SIM115 (it is one)
            return
        if self._place.is_dir():  # which would be found out when others have taken their places
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        for each in self._place.parent.glob(f".*{_UNFINISHED}"):
            if is_unfinished(each, self._place.name):
                remove_if_abandoned(each, os.unlink)
        while not self._make():
            pass

    def _make(self) -> bool:
        """Whether there is now a file that this process holds, so that others can tell when nobody writes to it."""
        unique = os.urandom(4).hex()
        beside = self._place.with_name(f".{_cut(self._place.name)}.{unique}{_UNFINISHED}")
        self._unfinished = beside  # before it is there: an interrupt may come right after
        made = open(str(beside), "x+b", opener=_for_nobody_else)  # noqa: SIM115 (closed with the others)
        self.file = self._closing.enter_context(made)
        return is_ours(beside, self.file.fileno())

    def finish(self) -> None:
        """All of it is on disk, or down the pipe."""
        if self._unfinished is None:
            self.file.close()
            return
        self.file.flush()
        os.fsync(self.file.fileno())
        os.chmod(self._unfinished, 0o666 & ~_umask())
        if sys.platform == "win32":  # which replaces no open file; elsewhere it is held until it has its name
            self.file.close()

    def is_stuck(self) -> bool:
        """Whether not a byte more can be written: tells which of several files failed, and spoils the others."""
        try:
            self.file.flush()
            return self._unfinished is not None and os.write(self.file.fileno(), b"\n") == 0
        except (OSError, ValueError):  # the latter if it is closed
            return True

    def take_place(self) -> None:
        if self._unfinished is not None:
            os.replace(self._unfinished, self._place)
            self._unfinished = None

    def close(self) -> None:
        """And what has not taken its place goes."""
        with contextlib.suppress(OSError):
            self._closing.close()
        if self._unfinished is not None:
            with contextlib.suppress(OSError):
                os.unlink(self._unfinished)


@contextlib.contextmanager
def _told(named: Path, written: Sequence[Path] = ()) -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise  # whoever reads has had enough
    except OSError as problem:
        raise cannot_write(named, problem, written) from problem


def _is_special(path: Path) -> bool:
    """Whether a pipe or a device is there."""
    try:
        mode = os.stat(path).st_mode
    except OSError:
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def _for_nobody_else(path: str, flags: int) -> int:
    """Until it has its place, and the usual permissions."""
    return os.open(path, flags, 0o600)


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


def cannot_write(path: Path, problem: OSError, written: Sequence[Path] = ()) -> CalqueError:
    reason = problem.strerror or str(problem)
    changed = f"{' and '.join(map(str, written))} had been written before" if written else "nothing was changed"
    hint = f"{changed}; free some space or choose another place"
    if problem.errno == errno.ENAMETOOLONG:
        hint = f"{changed}; choose a shorter name"
    elif os.path.isdir(path):
        hint = f"{changed}; that is a folder, so choose another place"
    elif not os.path.isdir(path.parent):
        hint = f"{changed}; there is no folder {path.parent}: make it, or choose another place"
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
