"""A segment: some entries of an index, mapped into memory, never changed once they are written.

vectors.f32    (rows, dimension) float32, of length 1
codes.i8       (rows, width) 8-bit codes of the vectors, which are scanned instead
about.f32      (rows, 3) scale, error and length of the codes
ids.u64        (rows,) ascending
offsets.u64    (rows + 1,) where each text begins
text.utf8      the texts, one right after the other
approximate/   clusters for approximate search, if it was asked for
"""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ..checksums import file_checksum
from ..encoder import Vectors
from ..errors import ModelError
from ..neighbours import Approximate, Codes, Neighbours, search_exactly
from ..neighbours.codes import ABOUT, code_width
from ..neighbours.product import Marks
from ..neighbours.unit_length import ROUNDING, first_of_other_length
from ..regular import open_regular
from .manifest import SegmentEntry, damaged

VECTORS, CODES, ABOUT_CODES, IDS, OFFSETS, TEXT = (
    "vectors.f32",
    "codes.i8",
    "about.f32",
    "ids.u64",
    "offsets.u64",
    "text.utf8",
)
FILES = (VECTORS, CODES, ABOUT_CODES, IDS, OFFSETS, TEXT)
APPROXIMATE = "approximate"

_MOST_COSINE = 1 + ROUNDING  # of vectors of length 1


class Segment:
    """
    Raises:
        FileNotFoundError: it is not there, perhaps any more.
        ModelError: a file is not of the size it was written with.
    """

    def __init__(self, folder: Path, entry: SegmentEntry, dimension: int) -> None:
        self.folder = folder / entry.name
        self.entry = entry
        self._sound = False
        rows = entry.rows
        self.vectors: Vectors = self._map(VECTORS, np.float32, (rows, dimension))
        values: npt.NDArray[np.int8] = self._map(CODES, np.int8, (rows, code_width(dimension)))
        self.codes = Codes(values, self._map(ABOUT_CODES, np.float32, (rows, ABOUT)))
        self.ids: npt.NDArray[np.uint64] = self._map(IDS, np.uint64, (rows,))
        self.offsets: npt.NDArray[np.uint64] = self._map(OFFSETS, np.uint64, (rows + 1,))
        self.text: npt.NDArray[np.uint8] = self._map(TEXT, np.uint8, (int(self.offsets[-1]),))

    def __len__(self) -> int:
        return self.entry.rows

    @property
    def has_approximate(self) -> bool:
        return self.entry.recall is not None

    @cached_property
    def approximate(self) -> Approximate:
        return Approximate.read(self.folder / APPROXIMATE, self.vectors)

    def search(self, queries: Vectors, k: int, deleted: Marks | None, threads: int) -> Neighbours:
        self.require_sound()
        if self.has_approximate:
            found = self.approximate.search(queries, k, deleted=deleted, threads=threads)
        else:
            found = search_exactly(queries, self.vectors, self.codes, k, deleted=deleted, threads=threads)
            self._require_all(found, deleted)
        self._require_cosines(found)
        return found

    def text_of(self, row: int) -> str:
        return self.bytes_of(row, row + 1).decode("utf-8", "replace")

    def bytes_of(self, begin: int, end: int) -> bytes:
        """The texts of some rows, one right after the other."""
        return self.text[int(self.offsets[begin]) : int(self.offsets[end])].tobytes()

    def rows_with(self, text: bytes) -> list[int]:
        """The rows that hold exactly this text."""
        lengths = np.diff(self.offsets.astype(np.int64))
        rows: list[int] = np.flatnonzero(lengths == len(text)).tolist()
        return [row for row in rows if self.bytes_of(row, row + 1) == text]

    def require_sound(self) -> None:
        """Check, once, what a search relies on and can be read in a fraction of its time.

        Raises:
            ModelError: ids that repeat or fall, or codes that are described by something other than numbers.
        """
        if self._sound:
            return
        if not (self.ids[1:] > self.ids[:-1]).all():
            raise damaged(self.folder / IDS, "its ids do not ascend")
        if not (self.codes.about.max() < np.inf and self.codes.about.min() >= 0):  # false for NaN, too
            raise damaged(self.folder / ABOUT_CODES, "it holds numbers that describe no codes")
        self._sound = True

    def _require_all(self, found: Neighbours, deleted: Marks | None) -> None:
        """Exact search finds as many entries as were asked for, if there are so many."""
        if found.index.min(initial=0) >= 0:
            return
        there = len(self) - (int(deleted.sum()) if deleted is not None else 0)
        if ((found.index >= 0).sum(axis=1) < min(found.index.shape[1], there)).any():
            raise damaged(self.folder, "its vectors and codes hold entries that no query can find")

    def _require_cosines(self, found: Neighbours) -> None:
        """Check only what was found: reading all vectors takes as long as searching them."""
        wrong = ~(np.abs(found.cosine) < _MOST_COSINE) & (found.index >= 0)
        if wrong.any():
            row, said = int(found.index[wrong][0]), float(found.cosine[wrong][0])
            raise damaged(self.folder / VECTORS, f"the vector of entry {int(self.ids[row])} gives a cosine of {said}")

    def check(self) -> None:
        """
        Raises:
            ModelError: a file has changed since it was written, or holds what no index is made of.
        """
        for name, stored in self.entry.files.items():
            checksum = file_checksum(self.folder / name)
            if checksum != stored.checksum:
                raise damaged(self.folder / name, f"its checksum is {checksum}, expected {stored.checksum}")
        self.require_sound()
        self._check_vectors()
        self._check_offsets()
        if self.has_approximate:
            Approximate.read(self.folder / APPROXIMATE, self.vectors)

    def _check_vectors(self) -> None:
        row = first_of_other_length(self.vectors)
        if row is not None:
            raise damaged(self.folder / VECTORS, f"the vector of entry {int(self.ids[row])} has not the length 1")

    def _check_offsets(self) -> None:
        if self.offsets[0] != 0 or not (self.offsets[1:] >= self.offsets[:-1]).all():
            raise damaged(self.folder / OFFSETS, "texts begin before those that come before them")

    def _map(self, name: str, type: Any, shape: tuple[int, ...]) -> Any:
        path = self.folder / name
        expected = int(np.prod(shape)) * np.dtype(type).itemsize
        stored = self.entry.files.get(name)
        if stored is None or stored.size != expected:
            raise damaged(path, f"{stored.size if stored else 'no'} bytes do not hold {self.entry.rows} rows")
        try:
            size = path.stat().st_size
            if size != expected:
                raise damaged(path, f"it has {size:,} bytes, expected {expected:,}")
            if not size:
                return np.zeros(shape, type)
            with open_regular(path) as file:
                return np.memmap(file, type, "r", shape=shape).view(np.ndarray)
        except OSError as problem:
            if isinstance(problem, FileNotFoundError):
                raise
            raise ModelError(
                f"cannot read {path}: {problem.strerror or problem}", hint="copy or build the index again"
            ) from problem
