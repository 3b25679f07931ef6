"""Sentences as one flat array of ids: two bytes a token where the vocabulary allows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt

Ids = npt.NDArray[Any]  # uint16 or uint32


def id_type(size: int) -> type[np.unsignedinteger[Any]]:
    """The smallest type that can name `size` rows."""
    return np.uint16 if size <= 1 << 16 else np.uint32


@dataclass(frozen=True)
class Tokens:
    """Sentence i is ids[offsets[i]:offsets[i + 1]]."""

    ids: Ids
    offsets: npt.NDArray[np.uint64]

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, sentence: int) -> Ids:
        return self.ids[self.offsets[sentence] : self.offsets[sentence + 1]]

    @property
    def lengths(self) -> npt.NDArray[np.uint32]:
        """The number of tokens of each sentence."""
        return np.diff(self.offsets).astype(np.uint32)

    @classmethod
    def from_lists(cls, sentences: Sequence[Sequence[int]], size: int) -> Tokens:
        lengths = np.fromiter(map(len, sentences), np.uint64, len(sentences))
        offsets = _offsets(lengths)
        return cls(np.fromiter(chain.from_iterable(sentences), id_type(size), int(offsets[-1])), offsets)

    @classmethod
    def concatenate(cls, parts: Iterable[Tokens], size: int) -> Tokens:
        parts = list(parts)
        empty: Ids = np.zeros(0, id_type(size))
        ids = np.concatenate([part.ids for part in parts] or [empty])
        lengths = [np.diff(part.offsets) for part in parts]
        return cls(ids, _offsets(np.concatenate(lengths) if lengths else np.zeros(0, np.uint64)))

    @classmethod
    def of_lengths(cls, ids: Ids, lengths: npt.NDArray[Any]) -> Tokens:
        """Sentences of so many tokens each, one after the other."""
        return cls(ids, _offsets(lengths))

    def run(self, begin: int, end: int) -> Tokens:
        """The sentences from `begin` to before `end`; not a copy of their ids."""
        offsets = self.offsets[begin : end + 1]
        return Tokens(self.ids[int(offsets[0]) : int(offsets[-1])], offsets - offsets[0])

    def without(self, id: int) -> Tokens:
        """The same sentences, one id left out wherever it stands."""
        return self.where(self.ids != id)

    def where(self, kept: npt.NDArray[np.bool_]) -> Tokens:
        """The same sentences with some of their tokens, one truth a token."""
        return self if kept.all() else Tokens(self.ids[kept], _offsets(kept)[self.offsets])

    def select(self, kept: npt.NDArray[np.bool_]) -> Tokens:
        """Some of the sentences, one truth a sentence."""
        if kept.all():
            return self
        lengths = np.diff(self.offsets)
        return Tokens(self.ids[np.repeat(kept, lengths.astype(np.int64))], _offsets(lengths[kept]))

    def take(self, sentences: npt.NDArray[Any]) -> Tokens:
        """The sentences of these numbers, in this order, as often as they are named."""
        begins, lengths = (each.astype(np.int64)[sentences] for each in (self.offsets[:-1], np.diff(self.offsets)))
        offsets = _offsets(lengths)
        places = np.arange(int(offsets[-1])) + np.repeat(begins - offsets[:-1].astype(np.int64), lengths)
        return Tokens(self.ids[places], offsets)

    def renamed(self, rows: npt.NDArray[np.uint32], size: int) -> Tokens:
        """Each id replaced by rows[id]."""
        return Tokens(rows[self.ids].astype(id_type(size)), self.offsets)


def _offsets(lengths: npt.NDArray[Any]) -> npt.NDArray[np.uint64]:
    offsets = np.zeros(len(lengths) + 1, np.uint64)
    np.cumsum(lengths, out=offsets[1:])
    return offsets
