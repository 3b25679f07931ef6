"""A sentence and its translation, and what a reader of bitext must know."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from .languages import is_swapped

Languages = tuple[str, str]
Columns = tuple[int | str, int | str]  # numbers from 1, or names of a header


class Pair(NamedTuple):
    source: str
    target: str


@dataclass(frozen=True)
class Wanted:
    """What the user said of a bitext; a file that holds more must be told apart by it."""

    languages: Languages | None = None
    columns: Columns | None = None
    in_name: Languages | None = None  # the languages that the file's name tells, in their order

    @property
    def swapped(self) -> bool:
        """Whether the sides are wanted the other way round than the file's name has them."""
        if self.languages is None or self.in_name is None:
            return False
        return is_swapped(self.languages, *self.in_name) is True


@dataclass(frozen=True)
class Reading:
    """An opened bitext: its languages, as far as known, and its pairs, some at a time; a side may be blank."""

    languages: Languages | None
    batches: Iterator[list[Pair]]
