"""Reading archives through, and unpacking them, with every byte counted as it comes."""

from __future__ import annotations

import contextlib
import lzma
import re
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from ...errors import CorpusError
from ..files import open_bytes
from ..traps import LIMITS, Limits, Names, check_size, name_parts, open_zip, refused

_BLOCK = 1 << 16
_READ = 4 << 20  # the longest header; tarfile would read one of any length at once
_BROKEN = (
    *(zipfile.BadZipFile, tarfile.TarError, zlib.error, lzma.LZMAError, struct.error),
    *(EOFError, OSError, ValueError, OverflowError, NotImplementedError),
)
_TAR = re.compile(r"\.(tar|tar\.(gz|bz2|xz)|tgz|tbz2|txz)$")


def is_archive(name: str) -> bool:
    return _is_zip(name) or _TAR.search(name.lower()) is not None


def check_archive(path: Path, name: str, limits: Limits = LIMITS) -> None:
    """Reads an archive to its end, checksums and all.

    Raises:
        CorpusError: it is broken, or a trap; the entry is named.
    """
    for entry in _entries(path, name, limits):
        for _ in entry.blocks():
            pass


def unpack(archive: Path, folder: Path, limits: Limits = LIMITS) -> None:
    """Unpacks a zip or tar into a new folder; whoever calls removes the folder if this fails.

    Only names and contents are taken over: no owners, times or permissions. What macOS adds is left out.
    """
    folder.mkdir()
    for entry in _entries(archive, archive.name, limits):
        if entry.parts[:1] == ("__MACOSX",):
            continue
        path = folder.joinpath(*entry.parts)
        if entry.file is None:
            path.mkdir(parents=True, exist_ok=True)
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        with open(path, "xb") as copy:
            for block in entry.blocks():
                copy.write(block)


@dataclass(frozen=True)
class _Entry:
    archive: str
    name: str
    file: IO[bytes] | None  # None: a folder

    @property
    def parts(self) -> tuple[str, ...]:
        return name_parts(self.name)

    def blocks(self) -> Iterator[bytes]:
        while self.file is not None:
            with _told(f"{self.archive}, entry {self.name!r}"):
                block = self.file.read(_BLOCK)
            if not block:
                return
            yield block


@contextlib.contextmanager
def _told(place: str) -> Iterator[None]:
    try:
        yield
    except _BROKEN as problem:
        raise CorpusError(
            f"{place}: the archive is broken or cut short ({problem or type(problem).__name__})",
            hint="fetch it again, or from elsewhere with --mirror URL",
        ) from problem


def _entries(path: Path, name: str, limits: Limits) -> Iterator[_Entry]:
    """Each entry is checked before it is handed out; its blocks must be read before the next is asked for."""
    found = _zip_entries(path, name, limits) if _is_zip(name) else _tar_entries(path, name, limits)
    while True:
        with _told(name):
            entry = next(found, None)
        if entry is None:
            return
        yield entry


def _zip_entries(path: Path, name: str, limits: Limits) -> Iterator[_Entry]:
    with open(path, "rb") as zipped, open_zip(zipped, name, limits) as archive:
        for info in archive.infolist():
            if info.orig_filename.endswith("/"):
                yield _Entry(name, info.orig_filename, None)
                continue
            with _told(f"{name}, entry {info.orig_filename!r}"):
                file = archive.open(info)
            with file:
                yield _Entry(name, info.orig_filename, file)


def _tar_entries(path: Path, name: str, limits: Limits) -> Iterator[_Entry]:
    names = Names(name, limits)
    with open_bytes(path, name) as plain:
        counted = _Counted(plain, name, path.stat().st_size, limits)
        with tarfile.TarFile(fileobj=counted) as archive:  # type: ignore[arg-type]
            for member in archive:
                names.add(member.name, folder=member.isdir())
                if member.isdir():
                    yield _Entry(name, member.name, None)
                    continue
                if not member.isreg() or member.issparse():
                    raise refused(name, member.name, "is a link, a device or a sparse file")
                yield _Entry(name, member.name, archive.extractfile(member))
        while counted.read(_BLOCK):  # to the end, where the compression's own checksum is
            pass


class _Counted:
    """The plain bytes of a tar, as tarfile wants them, until there are more than the archive can honestly hold."""

    def __init__(self, file: IO[bytes], name: str, packed: int, limits: Limits) -> None:
        self._file, self._name, self._packed, self._limits = file, name, packed, limits
        self._done = 0

    def read(self, size: int) -> bytes:
        if size > _READ:
            raise refused(self._name, None, f"has a header of {size:,} bytes")
        block = self._file.read(size)
        self._done += len(block)
        check_size(self._name, None, self._done, self._packed, self._limits)
        return block

    def tell(self) -> int:
        return self._done

    def seek(self, position: int) -> int:
        if position < self._done:
            raise tarfile.ReadError("an entry begins before the end of the one before")
        while self._done < position and self.read(min(_BLOCK, position - self._done)):
            pass
        return self._done


def _is_zip(name: str) -> bool:
    return name.lower().endswith(".zip")
