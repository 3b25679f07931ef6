"""Comma-separated values after RFC 4180: quoted cells may hold separators, line breaks and doubled quotes.

A comma or a semicolon separates: the one that the first record holds outside quotes; if it holds both, the one that
makes it a header, else the only one that makes two columns. It is a header if it names the columns or languages that
are wanted, or says `source,target` or the like, or languages and nothing else: `en,es`. Empty lines are skipped.
"""

from __future__ import annotations

import csv
import io
import re
import sys
from collections.abc import Iterable, Iterator
from itertools import chain, islice
from typing import IO, NamedTuple

from ...errors import CorpusError
from ..fields import SOURCE_TARGET, Chosen, by_number, choose_fields, is_header, names_for, names_languages, wrong_width
from ..lines import blocks, not_utf8
from ..pair import Languages, Pair, Reading, Wanted

_BATCH = 1024
_SEPARATORS = ",;"
_LONGEST = 1 << 20  # characters of a record of several lines: beyond, a quote is missing
_RULE = "a cell with quotes, separators or line breaks stands in quotes, and each quote inside it is doubled"


class _Start(NamedTuple):
    """The first record, as one separator splits it."""

    separator: str
    cells: list[str]
    line: int


def read(file: io.BufferedReader, name: str, wanted: Wanted) -> Reading:
    texts = _texts(file, name)
    first, before = _first_text(texts)
    start = _start(first, before, wanted, name)
    if start is None:
        return Reading(wanted.languages, iter(()))
    header, place = is_header(start.cells, wanted, codes=True), f"{name}, line {start.line}"
    chosen = choose_fields(start.cells, wanted, place) if header else by_number(start.cells, wanted, place)
    exactly = 0 if wanted.columns or header else 2
    records = _Records(chain([first], texts), before, start.separator, name)
    return Reading(chosen.languages, _pairs(records, chosen, exactly, header))


def _texts(file: io.BufferedReader, name: str) -> Iterator[str]:
    """A file's text, cut at line feeds."""
    number = 0
    for block in blocks(file, name):
        with memoryview(block.buffer) as whole, whole[: block.end] as view:
            try:
                text, bad = str(view, "utf-8"), None
            except UnicodeDecodeError as problem:
                bad = problem.start
        if bad is not None:
            begin = block.buffer.rfind(b"\n", 0, bad) + 1
            yield block.buffer[:begin].decode()
            line = number + block.buffer.count(b"\n", 0, begin) + 1
            raise not_utf8(name, line, bad - begin, block.buffer[bad])
        yield text
        number += block.buffer.count(b"\n", 0, block.end)


def _first_text(texts: Iterator[str]) -> tuple[str, int]:
    """The first that is more than empty lines, and the number of lines before it."""
    before = 0
    for text in texts:
        if text.strip("\r\n"):
            return text, before
        before += text.count("\n")
    return "", before


def _start(text: str, before: int, wanted: Wanted, name: str) -> _Start | None:
    """The first record; None if there is none."""
    found: list[_Start] = []
    problem: CorpusError | None = None
    for separator in _SEPARATORS:
        records = _Records([text], before, separator, name)
        try:
            cells = next(filter(None, records), None)
        except CorpusError as broken:
            problem = problem or broken
            continue
        if cells is None:
            return None
        found.append(_Start(separator, cells, records.line))
    if problem and not found:
        raise problem
    split = [start for start in found if len(start.cells) > 1]
    if not split:
        raise CorpusError(
            f"{name}, line {found[0].line}: expected two columns, got one",
            hint="a comma or a semicolon separates columns",
        )
    return split[0] if len(split) == 1 else _choose(split, wanted, name)


def _choose(starts: list[_Start], wanted: Wanted, name: str) -> _Start:
    named = [start for start in starts if _names_wanted(start.cells, wanted)]
    fitting = [start for start in starts if len(start.cells) == 2]
    for left in (named, [] if named or wanted.columns else fitting):
        if len(left) == 1:
            return left[0]
    raise CorpusError(
        f"{name}, line {starts[0].line}: commas and semicolons, and either may separate the columns",
        hint="put a line source,target or source;target first, or put the cells in quotes",
    )


def _names_wanted(cells: list[str], wanted: Wanted) -> bool:
    try:
        return is_header(cells, wanted, codes=True) and bool(choose_fields(cells, wanted, ""))
    except CorpusError:
        return False


class _Records:
    """What csv.reader makes of a text, with errors that say where, and no more in memory than one record."""

    def __init__(self, texts: Iterable[str], before: int, separator: str, name: str) -> None:
        self._name = name
        self._record: list[str] = []  # the lines of the record that was begun last
        self._number = before  # of the last line
        self._reader = csv.reader(self._lines(texts), delimiter=separator, strict=True)

    @property
    def place(self) -> str:
        return f"{self._name}, line {self.line}"

    @property
    def line(self) -> int:
        """The line on which the record begins that was given last."""
        return self._number - len(self._record) + 1

    def __iter__(self) -> Iterator[list[str]]:
        try:
            for cells in self._reader:
                yield cells
                self._record.clear()
        except csv.Error as problem:
            raise self._broken(str(problem)) from problem

    def _lines(self, texts: Iterable[str]) -> Iterator[str]:
        size = 0
        for text in texts:
            for line in io.StringIO(text, newline=""):
                self._record.append(line)
                self._number += 1
                size = size + len(line) if len(self._record) > 1 else 0
                if size > _LONGEST:
                    raise self._broken(f"a record of more than {_LONGEST:,} characters")
                yield line

    def _broken(self, reason: str) -> CorpusError:
        opened = self._open_quote()
        if opened is None:
            return CorpusError(f"{self._name}, line {self._number}: {reason}", hint=_RULE)
        return CorpusError(f"{self._name}, line {opened}: a quote opens and is not closed ({reason})", hint=_RULE)

    def _open_quote(self) -> int | None:
        opened = None
        for line, text in enumerate(self._record, start=self.line):
            at = text.find('"')
            while at >= 0:
                if opened is None:
                    opened = line
                elif text.startswith('"', at + 1):
                    at += 1  # doubled: a quote as such
                else:
                    opened = None
                at = text.find('"', at + 1)
        return opened


def _pairs(records: _Records, chosen: Chosen, exactly: int, header: bool) -> Iterator[list[Pair]]:
    first, second, _ = chosen
    last = max(first, second)
    least, most = (exactly, exactly) if exactly else (last + 1, sys.maxsize)
    rows = filter(None, records)
    if header:
        next(rows)
    while True:
        batch: list[Pair] = []
        try:
            for cells in islice(rows, _BATCH):
                if not least <= len(cells) <= most:
                    raise wrong_width(records.place, len(cells), last, exactly, _RULE)
                batch.append(Pair(cells[first], cells[second]))
        except CorpusError:
            yield batch
            raise
        if not batch:
            return
        yield batch


_SPECIAL = re.compile('[",;\r\n]')


def write(file: IO[bytes], batches: Iterable[list[Pair]], languages: Languages | None = None) -> None:
    """A header of the languages, as far as our own reader would know them for one, then a pair a record."""
    names = names_for(languages)
    _write_rows(file, [names if names_languages(names) else SOURCE_TARGET])
    for batch in filter(None, batches):
        _write_rows(file, batch)


def _write_rows(file: IO[bytes], rows: Iterable[tuple[str, str]]) -> None:
    text = "".join([f"{_quoted(source)},{_quoted(target)}\n" for source, target in rows])
    file.write(text.encode("utf-8", "replace"))


def _quoted(cell: str) -> str:
    return '"' + cell.replace('"', '""') + '"' if _SPECIAL.search(cell) else cell
