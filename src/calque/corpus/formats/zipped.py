"""Zip files as OPUS hands them out: two parallel texts, `Corpus.en-es.en` and `Corpus.en-es.es`, or one other bitext.

They are read in place, both at once. What OPUS puts beside them is passed over: README, LICENSE, identifiers, scores.
"""

from __future__ import annotations

import io
import lzma
import re
import struct
import zipfile
import zlib
from collections.abc import Iterable
from pathlib import PurePosixPath
from typing import IO, TYPE_CHECKING

from ...errors import CorpusError
from ..files import COMPRESSED, HEAD, plain_bytes, seekable
from ..languages import CODE, best_fit, is_language, standard
from ..pair import Languages, Reading, Wanted
from ..traps import open_zip
from . import format_named
from .detect import TEXT, detect
from .moses import read_parallel

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

_ENDINGS = re.compile(rf"(?:\.(?:txt|{'|'.join(COMPRESSED)}))+$")
_NO_LANGUAGES = re.compile("csv|doc|dtd|htm|ids|log|pdf|pot|sgm|tmx|tsv|xlf|xml")  # though each could be one
_BESIDE = re.compile(r"(?i)(?:readme|licen[cs]e|copying|changelog|\.ds_store).*|.*\.(?:ids|scores|md|html?|pdf)")
_MOST, _SHOWN = 1000, 12  # entries that are looked at; names in an error
_UNPACK = "unpack it, and name the files that you want"
_BROKEN = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    struct.error,
    EOFError,
    OSError,
    ValueError,
    OverflowError,
    MemoryError,
)


_Texts = dict[str, zipfile.ZipInfo]  # entries that translate each other, by language as in their names


def read(file: io.BufferedReader, name: str, wanted: Wanted) -> Reading:
    archive = _Archive(seekable(file, name), name)
    entries = [entry for entry in archive.entries if not _BESIDE.fullmatch(PurePosixPath(entry.filename).name)]
    found = _parallel(entries)
    if not found:
        return _read_single(archive, entries, name, wanted)
    texts = _choose(found, wanted, name)
    one, two = map(archive.open, texts.values())
    first, second = (standard(code) or code for code in texts)
    return Reading(
        wanted.languages or (first, second), read_parallel(one, two, tuple(map(archive.place, texts.values())))
    )


class _Archive:
    """A zip file whose errors name the entry."""

    def __init__(self, file: IO[bytes], name: str) -> None:
        self._name = name
        try:
            self._zip = open_zip(file, name)
        except (*_BROKEN, NotImplementedError) as problem:
            raise _broken(name, problem) from problem
        self.entries = [entry for entry in self._zip.infolist() if entry.filename[-1:] not in ("", "/")]

    def place(self, entry: zipfile.ZipInfo) -> str:
        return f"{self._name}, {entry.filename}"

    def open(self, entry: zipfile.ZipInfo) -> io.BufferedReader:
        """The bytes of an entry, decompressed twice if it was compressed before."""
        place = self.place(entry)
        try:
            inner = self._zip.open(entry)
        except (*_BROKEN, RuntimeError) as problem:
            raise _broken(place, problem) from problem
        return plain_bytes(io.BufferedReader(_Entry(inner, place), HEAD), place)


class _Entry(io.RawIOBase):
    """Says which entry is broken."""

    def __init__(self, inner: IO[bytes], place: str) -> None:
        self._inner, self._place = inner, place

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        try:
            count: int = self._inner.readinto(buffer)  # type: ignore[attr-defined]
        except _BROKEN as problem:
            raise _broken(self._place, problem) from problem
        return count


def _broken(place: str, problem: BaseException) -> CorpusError:
    if isinstance(problem, NotImplementedError):
        return CorpusError(f"{place}: compressed in a way that is not known here ({problem})", hint=_UNPACK)
    reason = str(problem)[:200] or type(problem).__name__
    return CorpusError(f"{place}: the zip file is broken or cut short ({reason})", hint="fetch or make it again")


def _parallel(entries: list[zipfile.ZipInfo]) -> list[_Texts]:
    """Entries whose names differ only in the language at their end: `Corpus.en` and `Corpus.es`."""
    by_stem: dict[str, _Texts] = {}
    for entry in entries:
        stem, _, code = _ENDINGS.sub("", entry.filename).rpartition(".")
        if stem and CODE.fullmatch(code):
            by_stem.setdefault(stem, {})[code] = entry
    kept = ({code: texts[code] for code in _languages(stem, texts)} for stem, texts in by_stem.items())
    return [texts for texts in kept if len(texts) > 1]


def _languages(stem: str, endings: Iterable[str]) -> list[str]:
    """The endings that are languages, in order: those that the stem tells, as in `Corpus.en-es`, or else all."""
    for second in endings:
        for first in endings if stem.endswith(f"-{second}") else ():
            if stem.endswith(f"{first}-{second}"):
                return [first, second]
    return [ending for ending in endings if not _NO_LANGUAGES.fullmatch(ending) and is_language(ending)]


def _choose(found: list[_Texts], wanted: Wanted, name: str) -> _Texts:
    """Two texts, in the order that is wanted."""
    fitting = found
    if wanted.languages:
        fitting = [fit for texts in found if (fit := _fitting(texts, wanted.languages))]
    if len(fitting) == 1 and len(fitting[0]) == 2:
        return fitting[0]
    listed = _listed(["-".join(texts) for texts in fitting or found])
    if not fitting:
        raise CorpusError(
            f"{name}: no texts in {' and '.join(wanted.languages or ())}, only {listed}",
            hint="name two of them: --languages en es",
        )
    hint = _UNPACK if wanted.languages else f"say which languages, --languages en es, or {_UNPACK}"
    raise CorpusError(f"{name}: more than two texts: {listed}", hint=hint)


def _fitting(texts: _Texts, languages: Languages) -> _Texts | None:
    codes = list(texts)
    first, second = (best_fit(language, codes) for language in languages)
    if first is None or second is None or first == second:
        return None
    return {codes[at]: texts[codes[at]] for at in (first, second)}


def _read_single(archive: _Archive, entries: list[zipfile.ZipInfo], name: str, wanted: Wanted) -> Reading:
    """The one entry that is a bitext by itself, whatever its format."""
    found: list[tuple[zipfile.ZipInfo, str]] = []
    for entry in entries[:_MOST]:
        kind = detect(archive.open(entry).peek(HEAD), entry.filename)
        if kind not in (TEXT, "zip"):  # a zip file in a zip file may hold itself
            found.append((entry, kind))
    if len(found) != 1:
        what = "no bitext" if not found else f"{len(found)} bitexts"
        listed = _listed([entry.filename for entry, _ in found] or [entry.filename for entry in archive.entries])
        raise CorpusError(f"{name}: {what} among {listed or 'no files at all'}", hint=_UNPACK)
    entry, kind = found[0]
    return format_named(kind).read(archive.open(entry), archive.place(entry), wanted)


def _listed(names: list[str]) -> str:
    return ", ".join(names[:_SHOWN]) + (" …" if len(names) > _SHOWN else "")
