"""Files on their way into a store, one after the other."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from ..corpus import STDIN, Bitext, Columns, Languages, find_bitexts, read_lines
from ..corpus.formats import format_of
from ..corpus.formats.detect import TEXT
from ..deduplication import Store
from ..deduplication.store import Row
from ..errors import UsageError
from ..model import Model
from ..model.familiarity import peeked
from .dedup import Encoding, fill, warn_of_rows
from .inputs import common_languages, require_one_standard_input


@dataclass(frozen=True)
class Source:
    """How the files are to be read; `bitext` None leaves it to their content."""

    bitext: bool | None = None
    languages: Sequence[str] = ()  # of a bitext's two sides
    columns: Columns | None = None
    format: str | None = None
    language: str | None = None  # of lines


def is_bitext(paths: Sequence[str], source: Source) -> bool:
    """Whether files hold pairs, as told or as their content says; standard input holds lines unless told.

    Raises:
        UsageError: some hold pairs, and others lines.
    """
    require_one_standard_input(paths)
    pairs_only = [
        name
        for name, given in (
            ("--languages", source.languages),
            ("--columns", source.columns),
            ("--format", source.format),
        )
        if given
    ]
    if source.bitext is False and pairs_only:
        raise UsageError(
            f"{pairs_only[0]} is for bitext, and lines were asked for", hint=f"leave out --lines or {pairs_only[0]}"
        )
    told = source.bitext if source.bitext is not None else True if pairs_only else None
    found = {path: path != STDIN and format_of(path) != TEXT for path in paths} if told is None else {}
    if len(set(found.values())) == 2:
        one, other = (next(path for path, pairs in found.items() if pairs == wanted) for wanted in (True, False))
        raise UsageError(f"{one} holds pairs, and {other} lines", hint="--lines or --bitext says how to read them all")
    bitext = any(found.values()) if told is None else told
    if bitext and source.language:
        raise UsageError("--language is for lines, and this is bitext", hint="--languages L L names both sides")
    return bitext


class Intake:
    """Knows which line came from where."""

    def __init__(self, store: Store, model: Model, source: Source, threads: int, report: Callable[[int], None]) -> None:
        self._store = store
        self._model = model
        self._source = source
        self._threads = threads
        self._report = report
        self._opened: list[Bitext] = []
        self._names: list[str] = []
        self._begins: list[int] = []

    @property
    def languages(self) -> Languages | None:
        """Of the two sides, as far as the files have told."""
        return common_languages(self._opened) if self._opened else None

    @property
    def encoding(self) -> Encoding:
        sides = (self._source.language,) if self._store.sides == 1 else self.languages or (None, None)
        return Encoding(self._model, sides, self._threads)

    def take(self, paths: Sequence[str]) -> None:
        if self._store.sides == 2:
            self._take_bitexts(paths)
            return
        for path in paths:
            self._begin(path)
            self._fill(path, ((line,) for line in read_lines(path)))

    def place(self, line: int) -> tuple[str, int]:
        """The file, and the number in it from 1 on."""
        at = bisect_right(self._begins, line) - 1
        return self._names[at], line - self._begins[at] + 1

    def _take_bitexts(self, paths: Sequence[str]) -> None:
        source = self._source
        for bitext in find_bitexts(paths, source.languages, source.columns, source.format):
            with bitext.open() as reading:
                self._opened.append(replace(bitext, languages=reading.languages or bitext.languages))
                self._begin(" ".join(bitext.paths))
                self._fill(bitext.name, chain.from_iterable(reading.batches))

    def _fill(self, name: str, rows: Iterable[Row]) -> None:
        head, rows = peeked(rows)
        encoding = self.encoding
        warn_of_rows(self._model, head, encoding.languages, name)
        fill(self._store, rows, encoding, self._report)

    def _begin(self, name: str) -> None:
        self._names.append(name)
        self._begins.append(self._store.lines)
