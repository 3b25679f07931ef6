"""Writing a segment: rows come in some thousands at a time and go straight to disk."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np
import numpy.typing as npt
import xxhash

from ..atomic import cannot_write
from ..checksums import checksum_of
from ..encoder import Vectors
from ..neighbours import Approximate, Codes
from ..temporary import thoroughly
from .manifest import SegmentEntry, Stored
from .segment import ABOUT_CODES, APPROXIMATE, CODES, FILES, IDS, OFFSETS, TEXT, VECTORS, Segment

TARGET_RECALL = 0.95


class Rows(NamedTuple):
    ids: npt.NDArray[np.uint64]
    vectors: Vectors
    codes: Codes
    lengths: npt.NDArray[np.int64]  # of each text, in bytes
    text: bytes


class _File:
    """A file that knows its size and checksum."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.size = 0
        self._state = xxhash.xxh3_128()
        self._file: IO[bytes] = open(path, "xb", buffering=0)  # noqa: SIM115 (closed by its writer)

    def write(self, data: bytes | npt.NDArray[Any]) -> None:
        view = data.reshape(-1).view(np.uint8).data if isinstance(data, np.ndarray) else memoryview(data)
        self._state.update(view)
        self.size += len(view)
        while len(view):
            view = view[self._file.write(view) :]

    def finish(self) -> Stored:
        os.fsync(self._file.fileno())
        return Stored(self.size, checksum_of(self._state))

    def close(self) -> None:
        self._file.close()


class SegmentWriter:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.rows = 0
        self._text_bytes = 0
        self._files: dict[str, _File] = {}

    def open(self) -> None:
        for name in FILES:
            self._files[name] = _File(self.folder / name)
        self._files[OFFSETS].write(np.zeros(1, np.uint64))

    def append(self, rows: Rows) -> None:
        ends = self._text_bytes + np.cumsum(rows.lengths)
        self._files[VECTORS].write(rows.vectors)
        self._files[CODES].write(rows.codes.values)
        self._files[ABOUT_CODES].write(rows.codes.about)
        self._files[IDS].write(rows.ids)
        self._files[OFFSETS].write(ends.astype(np.uint64))
        self._files[TEXT].write(rows.text)
        self.rows += len(rows.ids)
        self._text_bytes += len(rows.text)

    def finish(self) -> SegmentEntry:
        return SegmentEntry(self.folder.name, self.rows, {name: file.finish() for name, file in self._files.items()})

    def close(self) -> None:
        for file in self._files.values():
            file.close()


@contextlib.contextmanager
def new_segment(folder: Path, number: int) -> Iterator[SegmentWriter]:
    """A segment that nobody knows of until a manifest names it; if the block fails, it goes again.

    It has the number, or the next that is free: where there are no locks, another process may have taken it.

    Raises:
        CalqueError: the disk is full.
    """
    writer = SegmentWriter(_new_folder(folder, number))
    try:
        writer.open()
        yield writer
    except OSError as problem:
        _remove(writer)
        raise cannot_write(Path(problem.filename) if problem.filename else writer.folder, problem) from problem
    except BaseException:
        _remove(writer)
        raise
    writer.close()


def _new_folder(folder: Path, number: int) -> Path:
    while True:
        made = folder / f"segment-{number:06}"
        try:
            made.mkdir()
            return made
        except FileExistsError:
            number += 1
        except OSError as problem:
            raise cannot_write(made, problem) from problem


def new_deletions(folder: Path, number: int, ids: npt.NDArray[np.uint64]) -> str:
    """The name of a new list of ids that are gone; as with a segment, the number may be taken.

    Raises:
        CalqueError: the disk is full.
    """
    while True:
        path = folder / f"deleted-{number:06}.u64"
        try:
            with open(path, "xb") as file:
                file.write(np.sort(ids).tobytes())
                file.flush()
                os.fsync(file.fileno())
            return path.name
        except FileExistsError:
            number += 1
        except OSError as problem:
            raise cannot_write(path, problem) from problem


def add_approximate(folder: Path, entry: SegmentEntry, dimension: int, threads: int) -> SegmentEntry:
    """The same segment with clusters for approximate search beside it."""
    segment = Segment(folder, entry, dimension)
    fitted = Approximate.fit(segment.vectors, target=TARGET_RECALL, threads=threads)
    fitted.write(segment.folder / APPROXIMATE)
    return SegmentEntry(entry.name, entry.rows, entry.files, fitted.recall.share)


def _remove(writer: SegmentWriter) -> None:
    writer.close()
    thoroughly(partial(shutil.rmtree, writer.folder, ignore_errors=True))
