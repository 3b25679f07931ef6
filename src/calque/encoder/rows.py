"""A row for each piece: as floats, or as small codes that become floats when somebody needs them."""

from __future__ import annotations

from functools import cached_property
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from ..vocabulary import Tokens
from ..vocabulary.tokens import id_type
from .protocol import Vectors

FLOAT_BITS = 32
NUMBERS_A_BYTE = {8: 1, 4: 2, 3: 3}  # by the bits of a number; three of them, at 2⅔ bits, are called 3
CODE_BITS = tuple(NUMBERS_A_BYTE)
WIDEST = 8192  # columns that the kernel can add up

Codes = npt.NDArray[np.uint8]

_FEW = 256  # tokens; finding the distinct ones among them takes longer than working out some rows twice


class Table(NamedTuple):
    """Rows that the kernel can add up, and sentences as numbers of these rows."""

    rows: Vectors
    tokens: Tokens


class Rows(Protocol):
    @property
    def dimension(self) -> int: ...

    @property
    def bits(self) -> int:
        """Of each number, as it is stored."""

    @property
    def tensors(self) -> dict[str, npt.NDArray[Any]]:
        """As the model file holds them."""

    @property
    def nbytes(self) -> int:
        """Of all of them, as they are stored."""

    @property
    def floats(self) -> Vectors:
        """All of them, (size, dimension)."""

    def take(self, ids: npt.NDArray[Any]) -> Vectors:
        """Some of them, (len(ids), dimension)."""

    def table(self, tokens: Tokens) -> Table:
        """What these sentences need."""


class FloatRows:
    bits = FLOAT_BITS

    def __init__(self, floats: Vectors) -> None:
        self.floats = floats
        self.dimension: int = floats.shape[1]

    @property
    def tensors(self) -> dict[str, npt.NDArray[Any]]:
        return {"embeddings": self.floats}

    @property
    def nbytes(self) -> int:
        return self.floats.nbytes

    def take(self, ids: npt.NDArray[Any]) -> Vectors:
        taken: Vectors = self.floats[ids]
        return taken

    def table(self, tokens: Tokens) -> Table:
        return Table(self.floats, tokens)


class CodedRows:
    """Row r is scales[r] · levels[codes of r]: one of 256 levels a number; or of 16, two in a byte; or of 256 triples.

    The first of two is the byte's lower half. What the last byte holds beyond the dimension is not used.
    """

    def __init__(self, codes: Codes, levels: Vectors, scales: Vectors, dimension: int) -> None:
        # As plain arrays, though still mapped: np.memmap would make each little step of Python's.
        self.codes = np.asarray(codes)  # (size, code_bytes(dimension, bits))
        self.levels = np.asarray(levels)  # (256,), (16,) or (256, 3)
        self.scales = np.asarray(scales)  # (size,)
        self.dimension = dimension
        numbers = np.ascontiguousarray(numbers_of_bytes(self.levels))
        self.bits = next(bits for bits, count in NUMBERS_A_BYTE.items() if count == numbers.shape[1])
        # The numbers of a byte as one item, so that it is looked up once.
        item = np.dtype(("float32", "uint64", "V12")[numbers.shape[1] - 1])
        self._numbers: npt.NDArray[Any] = numbers.view(item)[:, 0]

    @property
    def tensors(self) -> dict[str, npt.NDArray[Any]]:
        return {"codes": self.codes, "levels": self.levels, "scales": self.scales}

    @property
    def nbytes(self) -> int:
        return self.codes.nbytes + self.levels.nbytes + self.scales.nbytes

    @cached_property
    def floats(self) -> Vectors:
        return self._decoded(self.codes, self.scales)

    def take(self, ids: npt.NDArray[Any]) -> Vectors:
        return self._decoded(self.codes[ids], self.scales[ids])

    def table(self, tokens: Tokens) -> Table:
        return table_in_use(self, len(self.codes), tokens)

    def _decoded(self, codes: Codes, scales: Vectors) -> Vectors:
        levels = np.take(self._numbers, codes).view(np.float32)[:, : self.dimension]
        return np.multiply(levels, scales[:, None])

    def __reduce__(self) -> tuple[Any, ...]:
        """Copies: what is mapped from a file is not mapped where a pickle is opened."""
        arrays = (np.array(array) for array in (self.codes, self.levels, self.scales))
        return CodedRows, (*arrays, self.dimension)


def table_in_use(rows: Rows, size: int, tokens: Tokens) -> Table:
    """Holds the rows in use only, each once, or where they are few, one for each token."""
    if len(tokens.ids) < _FEW:
        ids = np.arange(len(tokens.ids), dtype=id_type(_FEW))
        return Table(rows.take(tokens.ids), Tokens(ids, tokens.offsets))
    used = np.zeros(size, bool)
    used[tokens.ids] = True
    distinct = np.flatnonzero(used)
    places = np.empty(size, id_type(len(distinct)))
    places[distinct] = np.arange(len(distinct), dtype=places.dtype)
    return Table(rows.take(distinct), Tokens(places[tokens.ids], tokens.offsets))


def code_bytes(dimension: int, bits: int) -> int:
    """Bytes that hold a row's codes."""
    return -(-dimension // NUMBERS_A_BYTE[bits])


def shape_of_levels(bits: int) -> tuple[int, ...]:
    return (256, 3) if bits == 3 else (1 << bits,)


def numbers_of_bytes(levels: Vectors) -> Vectors:
    """What each of the 256 bytes stands for: (256, 1), (256, 2) or (256, 3)."""
    if levels.ndim == 2:
        return levels
    if len(levels) == 256:
        return levels[:, None]
    byte = np.arange(256)
    return np.stack([levels[byte & 15], levels[byte >> 4]], axis=1)
