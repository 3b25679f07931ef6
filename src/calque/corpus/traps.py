"""What an archive from a stranger must not hold."""

from __future__ import annotations

import os
import re
import stat
import struct
import unicodedata
import zipfile
from dataclasses import dataclass
from typing import IO

from ..errors import CorpusError

_HEADER = 30  # bytes of a zip's local header without its names
_LISTED = 200  # bytes that an entry takes in a zip's directory, more than enough on average
_TAIL = (1 << 16) + 200  # bytes at the end of a zip that its last records and its comment lie in


@dataclass(frozen=True)
class Limits:
    """Beyond these an archive is taken for a trap."""

    entries: int = 100_000
    unpacked: int = 1 << 40  # bytes, all entries together
    ratio: float = 250.0  # unpacked bytes for each byte of the archive
    always: int = 32 << 20  # bytes that may be unpacked whatever the ratio


LIMITS = Limits()


def open_zip(file: IO[bytes], name: str, limits: Limits = LIMITS) -> zipfile.ZipFile:
    """A zip that has passed `check_zip`; a directory too large to be read into memory is not even opened.

    Raises:
        CorpusError: it is a trap.
        zipfile.BadZipFile: it is none, or broken.
    """
    size = _directory_size(file)
    if size > limits.entries * _LISTED:
        raise refused(name, None, f"has a directory of {size:,} bytes")
    archive = zipfile.ZipFile(file)
    try:
        check_zip(archive, name, limits)
    except BaseException:
        archive.close()
        raise
    return archive


def _directory_size(file: IO[bytes]) -> int:
    """As the zip's last record declares it; 0 if none does or it cannot be, which is for zipfile to find out."""
    length = file.seek(0, os.SEEK_END)
    file.seek(max(0, length - _TAIL))
    tail = file.read(_TAIL)
    end = tail.rfind(b"PK\x05\x06")
    if end < 0 or len(tail) < end + 22:
        return 0
    size: int = struct.unpack_from("<L", tail, end + 12)[0]
    if end >= 76 and tail[end - 20 : end - 16] == b"PK\x06\x07":  # zip64 has the same at the start of 76 bytes before
        size = struct.unpack_from("<Q", tail, end - 76 + 40)[0]
    return size if size <= length else 0


def check_zip(archive: zipfile.ZipFile, name: str, limits: Limits = LIMITS) -> None:
    """Refuses a zip that is a trap by its directory alone; zipfile never reads more of an entry than is declared there.

    `name` is what errors call the archive.

    Raises:
        CorpusError: names that lead outside, links, encryption, entries twice or overlapping, or sizes beyond reason.
    """
    infos = archive.infolist()
    names = Names(name, limits)
    for info in infos:
        names.add(info.orig_filename, folder=info.orig_filename.endswith("/"))
        if info.flag_bits & 0x1:
            raise refused(name, info.orig_filename, "is encrypted")
        if stat.S_IFMT(info.external_attr >> 16) not in (0, stat.S_IFREG, stat.S_IFDIR):
            raise refused(name, info.orig_filename, "is a link or a device")
        check_size(name, info.orig_filename, info.file_size, info.compress_size, limits)
    _check_overlap(archive, infos, name)
    check_size(name, None, sum(info.file_size for info in infos), sum(info.compress_size for info in infos), limits)


def _check_overlap(archive: zipfile.ZipFile, infos: list[zipfile.ZipInfo], name: str) -> None:
    """The same few bytes, listed as a thousand entries, would unpack to a thousand files."""
    ordered = sorted(infos, key=lambda info: info.header_offset)
    starts = [info.header_offset for info in ordered] + [archive.start_dir]
    for info, end in zip(ordered, starts[1:], strict=True):
        if info.header_offset + _HEADER + info.compress_size > end:
            raise refused(name, info.orig_filename, "overlaps with another entry")


class Names:
    """The names seen so far; file systems that ignore case or accents' spelling must not find one twice either."""

    def __init__(self, archive: str, limits: Limits) -> None:
        self._archive, self._limits = archive, limits
        self._files: set[tuple[str, ...]] = set()
        self._folders: set[tuple[str, ...]] = set()
        self._count = 0

    def add(self, name: str, folder: bool) -> None:
        self._count += 1
        if self._count > self._limits.entries:
            raise refused(self._archive, None, f"has more than {self._limits.entries:,} entries")
        if reason := _unsafe(name, folder):
            raise refused(self._archive, name, reason)
        key = tuple(unicodedata.normalize("NFC", part).casefold() for part in name_parts(name))
        parents = {key[:length] for length in range(1, len(key))}
        if key in self._files or parents & self._files or (not folder and key in self._folders):
            raise refused(self._archive, name, "is there twice, or is a file and a folder at once")
        self._folders |= parents
        (self._folders if folder else self._files).add(key)


def name_parts(name: str) -> tuple[str, ...]:
    return tuple(part for part in name.split("/") if part not in ("", "."))


def _unsafe(name: str, folder: bool) -> str | None:
    if "\\" in name:
        return "has a backslash in its name"
    if name.startswith("/") or re.match("[A-Za-z]:", name):
        return "has an absolute name"
    if ".." in name.split("/"):
        return "leads outside the folder"
    if any(unicodedata.category(letter) == "Cc" for letter in name):
        return "has control characters in its name"
    if len(os.fsencode(name)) > 1000 or name.count("/") > 50:
        return "has a name that is too long"
    if not folder and not name_parts(name):
        return "has no name"
    return None


def check_size(name: str, entry: str | None, unpacked: int, packed: int, limits: Limits) -> None:
    if unpacked > limits.unpacked:
        raise refused(name, entry, f"unpacks to more than {limits.unpacked:,} bytes")
    if unpacked > limits.always and unpacked > limits.ratio * packed:
        raise refused(name, entry, f"unpacks to more than {limits.ratio:g} times its size")


def refused(name: str, entry: str | None, reason: str) -> CorpusError:
    shown = f"{name}, entry {entry[:100]!r}" if entry is not None else name
    return CorpusError(
        f"{shown} {reason}: refused",
        hint="no honest archive of text looks like this; get it from elsewhere, or unpack it yourself if you trust it",
    )
