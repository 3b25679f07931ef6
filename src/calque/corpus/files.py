"""Bytes from a plain or compressed file, or from standard input."""

from __future__ import annotations

import bz2
import contextlib
import gzip
import io
import lzma
import os
import re
import stat
import sys
import tempfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, BinaryIO, cast

from ..errors import CorpusError, UsageError

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

STDIN = "-"
HEAD = 1 << 16  # bytes that can be looked at before reading
_COPIED = 1 << 20

GZIP, XZ, ZSTANDARD = b"\x1f\x8b", b"\xfd7zXZ\x00", b"\x28\xb5\x2f\xfd"
BZIP2 = re.compile(rb"BZh[1-9](1AY&SY|\x17rE8P\x90)")  # a text may well begin with BZh

COMPRESSED = ("gz", "bz2", "xz", "zst")  # endings of names
_BROKEN = (EOFError, lzma.LZMAError, zlib.error, gzip.BadGzipFile)


@contextlib.contextmanager
def open_bytes(path: str | Path, name: str | None = None) -> Iterator[io.BufferedReader]:
    """The bytes of a file, decompressed if its content says it is compressed; errors call it `name`.

    Raises:
        UsageError: no such file.
        CorpusError: while reading, when the file turns out to be broken or cut short.
    """
    with open_as_it_is(path) as file:
        careful = _Careful(_decompressed(file), name or str(path))
        for watch in _watches:
            watch.opened(path, file, careful)
        plain: io.BufferedReader = io.BufferedReader(careful, HEAD)
        with plain:
            try:
                yield plain
            finally:
                for watch in _watches:
                    watch.closing(path)


_watches: list[BytesRead] = []


class BytesRead:
    """How much of some files has been read, while this context lasts; may be asked from any thread.

    Of a compressed file, its own bytes count, so that the size on disk is the total.
    """

    def __init__(self, paths: Iterable[str | Path]) -> None:
        self._sizes = {str(path): _size(path) for path in paths}
        self._read: dict[str, Callable[[], int]] = {}

    def __enter__(self) -> BytesRead:
        _watches.append(self)
        return self

    def __exit__(self, *problem: object) -> None:
        _watches.remove(self)

    @property
    def share(self) -> float | None:
        """None where it cannot be known: standard input has no size."""
        total = sum(self._sizes.values())
        if not total or not all(self._sizes.values()):
            return None
        return min(sum(read() for read in list(self._read.values())) / total, 1.0)

    def opened(self, path: str | Path, file: io.BufferedReader, careful: _Careful) -> None:
        """A file that is opened again, as after a first look, is read from its start."""
        if str(path) in self._sizes:
            self._read[str(path)] = careful.count if careful.holds(file) else _Position(file)

    def closing(self, path: str | Path) -> None:
        """How far a compressed file was read can be asked for the last time."""
        if str(path) in self._read:
            self._read[str(path)]()


class _Position:
    """Where a file is being read; what it was last, once it has been closed."""

    def __init__(self, file: io.BufferedReader) -> None:
        self._file = file
        self._last = 0

    def __call__(self) -> int:
        with contextlib.suppress(ValueError, OSError):
            self._last = os.lseek(self._file.fileno(), 0, os.SEEK_CUR)
        return self._last


def _size(path: str | Path) -> int:
    """0 where there is none to be known."""
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return 0
    return found.st_size if stat.S_ISREG(found.st_mode) else 0


def plain_bytes(file: io.BufferedReader, name: str) -> io.BufferedReader:
    """As open_bytes, for a file that is open already; it stays open when what is returned is closed."""
    return io.BufferedReader(_Careful(_decompressed(file), name), HEAD)


def seekable(file: io.BufferedReader, name: str) -> io.BufferedReader | io.BufferedRandom:
    """The same bytes for formats that must be read out of order: what cannot be, is put on disk first.

    Raises:
        CorpusError: the disk is full.
    """
    if file.seekable():
        return file
    copy = _Copy(tempfile.TemporaryFile(buffering=0))  # noqa: SIM115 (see _Copy)
    try:
        while block := file.read(_COPIED):
            copy.write(block)
        copy.seek(0)
    except OSError as problem:
        raise CorpusError(
            f"{name} must lie on disk to be read, and {tempfile.gettempdir()} does not take it: "
            f"{problem.strerror or problem}",
            hint="set TMPDIR to a folder with more space, or give the file itself and not compressed",
        ) from problem
    return copy


class _Copy(io.BufferedRandom):
    """Lives as long as who reads it; somebody who only asks for the languages never comes to its end."""

    def __del__(self) -> None:
        with contextlib.suppress(OSError):
            self.close()


def _standard_input() -> BinaryIO:
    if sys.stdin is None:
        raise UsageError("standard input is closed", hint="name a file instead of `-`, or pipe one in")
    return sys.stdin.buffer


@contextlib.contextmanager
def open_as_it_is(path: str | Path) -> Iterator[io.BufferedReader]:
    """The bytes that a file has, compressed or not.

    Raises:
        UsageError: no such file, or standard input is closed.
    """
    if str(path) == STDIN:
        stdin = _standard_input()
        yield stdin if isinstance(stdin, io.BufferedReader) else io.BufferedReader(cast(io.RawIOBase, stdin))
        return
    try:
        file = open(path, "rb")  # noqa: SIM115 (closed below)
    except OSError as problem:
        raise UsageError(f"cannot read {path}: {problem.strerror or problem}", hint=_near(Path(path))) from problem
    except ValueError as problem:
        raise UsageError(f"cannot read {str(path)!r}: {problem}") from problem
    with file:
        yield file


def _near(path: Path) -> str | None:
    """A file that may have been meant."""
    if path.exists():
        return "name the files in it" if path.is_dir() else None
    from difflib import get_close_matches

    with contextlib.suppress(OSError):
        if near := get_close_matches(path.name, os.listdir(path.parent), n=1):
            return f"did you mean {path.parent / near[0]}?"
    return None if path.parent.is_dir() else f"there is no folder {path.parent}"


def _decompressed(file: io.BufferedReader) -> IO[bytes]:
    start = file.peek(10)
    if start.startswith(GZIP):
        return _gunzipped(file)
    if BZIP2.match(start):
        return bz2.open(file, "rb")
    if start.startswith(XZ):
        return lzma.open(file, "rb")
    if start.startswith(ZSTANDARD):
        from .zstd import ZstandardFrames

        return io.BufferedReader(ZstandardFrames(file))
    return file


def _gunzipped(file: io.BufferedReader) -> IO[bytes]:
    """By Intel's library where there is one: three times as fast as zlib."""
    try:
        from isal import igzip
    except ImportError:
        return cast(IO[bytes], gzip.open(file, "rb"))
    opened: IO[bytes] = cast(Any, igzip).open(file, "rb")
    return opened


class _Careful(io.RawIOBase):
    """Says which file is broken, and where; fills what it is given, so that a first look sees enough."""

    def __init__(self, inner: IO[bytes], name: str) -> None:
        self._inner = inner
        self._name = name
        self._read = 0
        # Decompressing files seek too, by starting over.
        self._plain = isinstance(inner, io.BufferedReader) and inner.seekable() and inner.tell() == 0

    def holds(self, file: io.BufferedReader) -> bool:
        """Whether its bytes are those of the file itself."""
        return self._inner is file

    def count(self) -> int:
        return self._read

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return self._plain

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        if not self._plain:
            raise io.UnsupportedOperation("seek")
        return self._inner.seek(offset, whence)

    def readinto(self, buffer: WriteableBuffer) -> int:
        room = memoryview(buffer).cast("B")
        filled = 0
        while filled < len(room):
            count = self._some(room[filled:])
            if not count:
                break
            filled += count
        return filled

    def _some(self, room: memoryview) -> int:
        try:
            count: int = self._inner.readinto(room)  # type: ignore[attr-defined]
        except _BROKEN as problem:
            raise self._broken(problem) from problem
        except OSError as problem:
            if problem.errno is None:  # bz2's way to say it
                raise self._broken(problem) from problem
            raise CorpusError(f"{self._name}, after {self._read:,} bytes: {problem.strerror}") from problem
        except Exception as problem:
            if type(problem).__name__ in ("ZstdError", "IsalError"):  # of libraries only imported for such files
                raise self._broken(problem) from problem
            raise
        self._read += count
        return count

    def _broken(self, problem: Exception) -> CorpusError:
        return CorpusError(
            f"{self._name}, after {self._read:,} bytes of text: the compressed file is broken or cut short ({problem})",
            hint="fetch or make it again",
        )
