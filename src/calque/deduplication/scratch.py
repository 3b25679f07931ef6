"""Room on disk for what may be too much for memory, gone when nobody uses it any more."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from typing import IO

import numpy as np
import numpy.typing as npt

from ..atomic import cannot_write_temporary

Vectors = npt.NDArray[np.float32]


@contextlib.contextmanager
def room_needed() -> Iterator[None]:
    """
    Raises:
        CalqueError: the disk is full.
    """
    try:
        yield
    except OSError as problem:
        raise cannot_write_temporary(problem) from problem


def scratch_file() -> IO[bytes]:
    with room_needed():
        return tempfile.TemporaryFile()


def scratch_matrix(rows: int, columns: int) -> Vectors:
    """Rows that the system may move out of memory; all the room is taken at once, so that it cannot run out later."""
    if not rows or not columns:
        return np.zeros((rows, columns), np.float32)
    with room_needed(), scratch_file() as file:
        if hasattr(os, "posix_fallocate"):
            os.posix_fallocate(file.fileno(), 0, 4 * rows * columns)
        return np.memmap(file, np.float32, "r+" if hasattr(os, "posix_fallocate") else "w+", shape=(rows, columns))


def as_matrix(file: IO[bytes], rows: int, columns: int) -> Vectors:
    """What has been written to a file, as an array."""
    if not rows:
        return np.zeros((0, columns), np.float32)
    with room_needed():
        file.flush()
    return np.memmap(file, np.float32, "r", shape=(rows, columns))
