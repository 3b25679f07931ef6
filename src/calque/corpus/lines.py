"""Lines of UTF-8 text, from a plain or compressed file or from standard input."""

from __future__ import annotations

import bz2
import contextlib
import gzip
import io
import lzma
import re
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, cast

from ..errors import CorpusError, UsageError

STDIN = "-"

GZIP, XZ, ZSTANDARD = b"\x1f\x8b", b"\xfd7zXZ\x00", b"\x28\xb5\x2f\xfd"
BZIP2 = re.compile(rb"BZh[1-9](1AY&SY|\x17rE8P\x90)")  # a text may well begin with BZh


def read_lines(path: str | Path) -> Iterator[str]:
    """The lines of a file without their ends, split at line feeds only; a carriage return before one goes too.

    Raises:
        CorpusError: bytes that are not UTF-8, with the line; a compressed file that is broken or cut short.
        UsageError: no such file.
    """
    number = 0
    with open_bytes(path) as file:
        try:
            for number, raw in enumerate(file, start=1):
                if number == 1:
                    raw = raw.removeprefix(b"\xef\xbb\xbf")
                yield _decode(raw.removesuffix(b"\n").removesuffix(b"\r"), path, number)
        except (EOFError, lzma.LZMAError, zlib.error, gzip.BadGzipFile) as problem:
            raise _broken(path, number + 1, problem) from problem
        except OSError as problem:
            raise CorpusError(f"{path}, after line {number}: {problem.strerror or problem}") from problem
        except Exception as problem:
            if type(problem).__name__ == "ZstdError":  # its library is only imported for such files
                raise _broken(path, number + 1, problem) from problem
            raise


@contextlib.contextmanager
def open_bytes(path: str | Path) -> Iterator[IO[bytes]]:
    """The bytes of a file, decompressed if its content says it is compressed, whatever its name says."""
    if str(path) == STDIN:
        yield sys.stdin.buffer
        return
    try:
        file = open(path, "rb")  # noqa: SIM115 (closed below, also when decompressing)
    except OSError as problem:
        raise UsageError(f"cannot read {path}: {problem.strerror or problem}") from problem
    with file, _decompressed(file) as plain:
        yield plain


def _decompressed(file: io.BufferedReader) -> IO[bytes]:
    start = file.peek(10)
    if start.startswith(GZIP):
        return cast(IO[bytes], gzip.open(file, "rb"))
    if BZIP2.match(start):
        return bz2.open(file, "rb")
    if start.startswith(XZ):
        return lzma.open(file, "rb")
    if start.startswith(ZSTANDARD):
        from .zstd import ZstandardFrames

        return io.BufferedReader(ZstandardFrames(file))
    return file


def _decode(raw: bytes, path: str | Path, number: int) -> str:
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as problem:
        raise CorpusError(
            f"{path}, line {number}: not UTF-8 (byte 0x{raw[problem.start]:02x} at position {problem.start + 1})",
            hint="convert the file first, for instance: iconv -f latin1 -t utf-8 OLD > NEW",
        ) from problem


def _broken(path: str | Path, number: int, problem: Exception) -> CorpusError:
    return CorpusError(
        f"{path}, line {number}: the compressed file is broken or cut short ({problem})", hint="fetch or make it again"
    )
