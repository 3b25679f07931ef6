"""Decompressing zstandard, frame after frame.

The library's own reader takes a file that is cut short for one that ends there.
"""

from __future__ import annotations

import io
from typing import IO, TYPE_CHECKING

import zstandard

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

_READ = 1 << 16
_AT_ONCE = 1 << 10  # bytes given to the library, which undoes all of them: four bytes can stand for 128 KB


class ZstandardFrames(io.RawIOBase):
    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._library = zstandard.ZstdDecompressor()
        self._frame = self._library.decompressobj()
        self._compressed = memoryview(b"")
        self._ready = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        room = memoryview(buffer).cast("B")
        while not self._ready:
            some = (self._frame.unused_data if self._frame.eof else b"") or self._some()
            if not some:
                if self._frame.eof:
                    return 0
                raise EOFError("the last frame has no end")
            if self._frame.eof:
                self._frame = self._library.decompressobj()
            self._ready = memoryview(self._frame.decompress(some))
        count = min(len(room), len(self._ready))
        room[:count] = self._ready[:count]
        self._ready = self._ready[count:]
        return count

    def _some(self) -> memoryview:
        if not self._compressed:
            self._compressed = memoryview(self._file.read(_READ))
        some, self._compressed = self._compressed[:_AT_ONCE], self._compressed[_AT_ONCE:]
        return some
