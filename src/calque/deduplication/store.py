"""The lines of a corpus: texts and vectors on disk, some numbers a line in memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from types import TracebackType
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import _kernel
from ..corpus.seen import Seen
from .keys import keys_of
from .scratch import Vectors, as_matrix, room_needed, scratch_file
from .units import Indices, Units

Row = tuple[str, ...]  # one text, or the two sides of a pair

_MEGABYTES = 256  # for hashes that were seen before
_READ = 1 << 12  # lines at a time


class Store:
    """Lines with the same text are one unit, with one vector; blank lines are none.

    With all that finding duplicates takes, a line costs some 75 bytes of memory. As a context, the store gives back its
    disk space in the end.
    """

    def __init__(self, sides: int, dimension: int, numbers: bool = True, seen: Seen | None = None) -> None:
        self.sides = sides
        self.lines = 0
        self.count = 0  # units
        self._width = sides * dimension
        self._numbers = numbers
        self._seen = seen or _kernel.Seen(_MEGABYTES << 17)
        self._texts, self._vectors = scratch_file(), scratch_file()
        self._ends = _Column(np.int64)  # of each text in the file
        self._text = _Column(np.uint64)  # hashes; 0 of blank lines
        self._line = _Column(np.int64)  # of each unit, from here on
        self._letters, self._digits = _Column(np.uint64), _Column(np.uint64)
        self._length = _Column(np.int64)

    def take(self, rows: Sequence[Row], threads: int = 1) -> list[int]:
        """Takes in some lines, and tells which of them are new units, whose vectors are to follow."""
        keys = keys_of(rows, self._numbers, threads)
        # Beyond what memory is for, a repeat may be taken for new: it is then found by its letters.
        fresh = np.flatnonzero(~keys.blank & ~self._seen.add(keys.text))
        self._text.append(np.where(keys.blank, 0, np.maximum(keys.text, 1)).astype(np.uint64))
        for column, values in ((self._letters, keys.letters), (self._digits, keys.digits), (self._length, keys.length)):
            column.append(values[fresh])
        self._line.append(fresh + self.lines)
        encoded = [text.encode("utf-8", "surrogatepass") for row in rows for text in row]
        sizes = np.fromiter(map(len, encoded), np.int64, len(encoded))
        with room_needed():
            self._ends.append(self._texts.tell() + np.cumsum(sizes))
            self._texts.write(b"".join(encoded))
        self.lines += len(rows)
        return [int(at) for at in fresh]

    def add_vectors(self, vectors: Sequence[Vectors]) -> None:
        """Of the new units, for each side (n, dimension), of length 1 or 0."""
        with room_needed():
            self._vectors.write(np.ascontiguousarray(np.concatenate(vectors, axis=1)).data)
        self.count += len(vectors[0])

    def units(self) -> Units:
        vectors = as_matrix(self._vectors, self.count, self._width)
        return Units(vectors, self._letters.joined(), self._digits.joined(), self.sides, self._unit_rows)

    def _unit_rows(self, units: Indices) -> list[Row]:
        return list(self.rows(self.unit_lines()[units]))

    def unit_lines(self) -> Indices:
        """The first line of each unit."""
        return self._line.joined()

    def blank_lines(self) -> Indices:
        return np.flatnonzero(self._text.joined() == 0)

    def unit_lengths(self) -> Indices:
        """Characters of each unit."""
        return self._length.joined()

    def unit_of(self) -> Indices:
        """The unit of each line; −1 for blank ones."""
        texts = self._text.joined()
        units = texts[self.unit_lines()]
        order = np.argsort(units, kind="stable")
        places = np.minimum(np.searchsorted(units[order], texts), len(units) - 1)
        return np.where(texts == 0, -1, order[places])

    def rows(self, lines: Indices) -> Iterator[Row]:
        """The texts of some lines, in that order; those that follow each other in the file are read at once."""
        ends = self._ends.joined()
        for begin in range(0, len(lines), _READ):
            part = lines[begin : begin + _READ]
            for run in np.split(part, np.flatnonzero(np.diff(part) != 1) + 1):
                first, last = int(run[0]) * self.sides, (int(run[-1]) + 1) * self.sides
                start = int(ends[first - 1]) if first else 0
                self._texts.seek(start)
                block = self._texts.read(int(ends[last - 1]) - start)
                cuts = [0, *(ends[first:last] - start).tolist()]
                texts = [block[one:two].decode("utf-8", "surrogatepass") for one, two in pairwise(cuts)]
                yield from (tuple(texts[at : at + self.sides]) for at in range(0, len(texts), self.sides))

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._texts.close()
        self._vectors.close()


class _Column:
    """An array that grows by parts."""

    def __init__(self, kind: type[np.generic]) -> None:
        self._parts: list[npt.NDArray[Any]] = [np.zeros(0, kind)]

    def append(self, values: npt.NDArray[Any]) -> None:
        self._parts.append(values)

    def joined(self) -> npt.NDArray[Any]:
        if len(self._parts) > 1:
            self._parts = [np.concatenate(self._parts)]
        return self._parts[0]
