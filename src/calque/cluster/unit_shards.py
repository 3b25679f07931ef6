"""The different texts of a corpus in shards, with what they are compared by."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ..corpus.formats import format_of
from ..corpus.formats.detect import TEXT
from ..corpus.seen import NothingSeen, Seen
from ..corpus.texts import read_texts
from ..deduplication import Store
from ..deduplication.keys import keys_of
from ..deduplication.store import Row
from ..deduplication.units import Indices, Units
from ..errors import CorpusError, UsageError
from ..model import Model
from ..tasks.dedup import Encoding, fill, row_batches
from ..tasks.dedup_intake import Source
from .bitexts import HowToRead
from .engine import Receipt, Task
from .packed import read_packed, write_packed
from .places import Place
from .repeats import Repeats
from .texts import is_empty

_PARTS = 7  # vectors, letters, digits, lines, blank lines, ends of texts, texts


@dataclass(frozen=True)
class Rows:
    """How the lines, or pairs, of a shard are read."""

    bitext: bool
    source: Source

    @property
    def sides(self) -> int:
        return 2 if self.bitext else 1

    @contextmanager
    def of(self, task: Task) -> Iterator[Iterator[Row]]:
        """
        Raises:
            UsageError: pairs, where the first shard has lines and nobody has said how to read them.
        """
        if self.bitext:
            source = self.source
            with HowToRead(tuple(source.languages), source.columns, source.format).bitext(task) as bitext:
                yield (pair for batch in bitext.batches() for pair in batch)
        else:
            with Place(task["shard"]).fetched() as path:
                if self.source.bitext is None and not is_empty(path) and format_of(path) != TEXT:
                    raise UsageError(
                        f"{path} holds pairs, and others lines", hint="--lines or --bitext says how to read them all"
                    )
                yield ((line,) for line in _lines(path))


def _lines(path: Path) -> Iterator[str]:
    """
    Raises:
        CorpusError: a text of a table that would become two lines.
    """
    for number, text in enumerate(read_texts(path), start=1):
        if "\n" in text:
            raise CorpusError(
                f"{path}, row {number}: a text with a line break",
                hint="what stays is written as lines: replace line breaks by spaces first",
            )
        yield text


@dataclass(frozen=True)
class KeyLines:
    """Hands out what tells the texts of a shard apart."""

    rows: Rows
    repeats: Repeats
    threads: int

    def __call__(self, task: Task) -> Receipt:
        found = [np.zeros(0, np.uint64)]
        with self.rows.of(task) as rows:
            for batch in row_batches(rows):
                found.append(keys_of(batch, threads=self.threads).text)
        keys = np.concatenate(found)
        self.repeats.hand_out(int(task["name"]), keys)
        return {"lines": len(keys)}


@dataclass(frozen=True)
class UnitShard:
    """The units of a shard: lines that are not blank and, with `repeats`, have not come before."""

    rows: Rows
    model: Model
    languages: tuple[str | None, ...]
    numbers: bool
    repeats: Repeats | None
    folder: Place
    threads: int

    def __call__(self, task: Task) -> Receipt:
        seen: Seen = self.repeats.foretold(task, task["lines"]) if self.repeats else NothingSeen()
        with Store(self.rows.sides, self.model.dimension, self.numbers, seen) as store:
            with self.rows.of(task) as rows:
                fill(store, rows, Encoding(self.model, self.languages, self.threads))
            units = store.units()
            lines = [store.unit_lines(), store.blank_lines()]
            texts = _packed_texts(store.rows(store.unit_lines()))
            write_packed(self.folder / task["name"], [units.vectors, units.letters, units.digits, *lines, *texts])
            return {"lines": store.lines, "units": store.count}


@dataclass(frozen=True)
class UnitShards:
    """Units numbered through all shards."""

    folder: Place
    units: tuple[int, ...]
    dimension: int
    sides: int

    @property
    def begins(self) -> Indices:
        return np.cumsum([0, *self.units])

    def read(self, begin: int, end: int) -> Units:
        """Those of a run of shards."""
        width = self.dimension * self.sides
        kinds = (np.float32, np.uint64, np.uint64)
        vectors, letters, digits = (
            np.concatenate([self._part(shard, part, kinds[part]) for shard in range(begin, end)]) for part in range(3)
        )
        texts = UnitTexts(self, begin, end)
        return Units(vectors.reshape(-1, width), letters, digits, self.sides, texts)

    def lines(self, shard: int) -> Indices:
        """The line of each unit of a shard."""
        return self._part(shard, 3, np.int64)

    def blank_lines(self, shard: int) -> Indices:
        return self._part(shard, 4, np.int64)

    def texts(self, shard: int) -> tuple[Indices, bytes]:
        """The ends of the texts of a shard's units, side by side, and the texts."""
        return self._part(shard, 5, np.int64), self._part(shard, 6, np.uint8).tobytes()

    def _part(self, shard: int, part: int, kind: type[Any]) -> npt.NDArray[Any]:
        return read_packed(self.folder / f"{shard:05d}", _PARTS, part, kind)


class UnitTexts:
    """The rows of a run of shards, read when the first is asked for."""

    def __init__(self, units: UnitShards, begin: int, end: int) -> None:
        self._units, self._shards = units, range(begin, end)
        self._ends: Indices = np.zeros(0, np.int64)
        self._texts: bytes | None = None

    def __call__(self, units: Indices) -> list[Row]:
        if self._texts is None:
            self._read()
        return [self._row(unit) for unit in units.tolist()]

    def _read(self) -> None:
        ends, texts, size = [np.zeros(1, np.int64)], [], 0
        for part_ends, part in map(self._units.texts, self._shards):
            ends.append(part_ends + size)
            texts.append(part)
            size += len(part)
        self._ends, self._texts = np.concatenate(ends), b"".join(texts)

    def _row(self, unit: int) -> Row:
        sides = self._units.sides
        cuts = self._ends[unit * sides : (unit + 1) * sides + 1].tolist()
        assert self._texts is not None
        return tuple(self._texts[one:two].decode("utf-8", "surrogatepass") for one, two in pairwise(cuts))


def _packed_texts(rows: Iterable[Row]) -> tuple[Indices, npt.NDArray[np.uint8]]:
    texts = [text.encode("utf-8", "surrogatepass") for row in rows for text in row]
    ends = np.cumsum([len(text) for text in texts], dtype=np.int64)
    return ends, np.frombuffer(b"".join(texts), np.uint8)
