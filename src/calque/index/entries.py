"""What goes into an index: texts with ids, from files or from Python, some thousands at a time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from ..corpus import read_lines
from .manifest import Source

Texts = str | Path | Iterable[str | Path]

_TEXTS = 1 << 14
_CHARACTERS = 1 << 23  # so that a file of very long lines is not held in memory either


class Batch(NamedTuple):
    ids: list[int]
    texts: list[str]


class Intake:
    """Reads once. Every line or text counts, so that an id is a place; blank ones are left out."""

    def __init__(self, texts: Texts, first_id: int) -> None:
        self._texts = texts
        self.next_id = first_id
        self.sources: list[Source] = []  # of what has been read

    def batches(self) -> Iterator[Batch]:
        batch = Batch([], [])
        characters = 0
        for text in self._every_text():
            if text and not text.isspace():
                batch.ids.append(self.next_id)
                batch.texts.append(text)
                characters += len(text)
            self.next_id += 1
            if len(batch.texts) == _TEXTS or characters > _CHARACTERS:
                yield batch
                batch, characters = Batch([], []), 0
        if batch.texts:
            yield batch

    def _every_text(self) -> Iterator[str]:
        given = [Path(self._texts)] if isinstance(self._texts, str | Path) else self._texts
        for one in given:
            if not isinstance(one, Path):
                yield one
                continue
            first = self.next_id
            yield from read_lines(one)  # and whoever asks for the next has counted the last
            self.sources.append(Source(str(one), first, self.next_id - first))
