"""The parts that a corpus comes in: files, folders of them, names with stars."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..corpus.texts import Column
from ..errors import UsageError
from ..model.familiarity import Side, side_of_file
from .engine import Task
from .listing import STARS
from .places import Place

Run = tuple[int, int]  # shards from one to before another


@dataclass(frozen=True)
class Shard:
    """A file; `version` changes when its content does."""

    place: Place
    size: int
    version: str


def find_shards(paths: Sequence[str | Path], outs: Sequence[Place] = ()) -> list[Shard]:
    """The files that make a corpus, in order: as named, and by their names inside a folder.

    What lies in `outs` is there only if it is named itself: a pattern would find what the same job wrote before.

    Raises:
        UsageError: there is none.
    """
    found: list[Place] = []
    for path in map(str, paths):
        place = Place.of(path)
        place.look_again()
        if path == "-":
            raise UsageError("standard input cannot be read by many machines", hint="name files or a folder")
        if place.is_folder():
            files = _apart(place.files(), [out for out in outs if not place.lies_in(out)])
        elif any(star in path for star in STARS) and not place.exists():
            files = _apart([each for each in place.matching() if not each.is_folder()], outs)
        else:
            files = [place]
        if not files:
            raise UsageError(f"{path}: no file there", hint="name files, a folder of them, or a pattern in quotes")
        found += files
    return [Shard(place, *place.info()) for place in found]


def side_of(shards: Sequence[Shard], language: str | None, column: Column | None = None) -> Side:
    """A side by its first shard that holds anything; one that lies elsewhere is known by its name alone."""
    first = next((shard for shard in shards if shard.size), shards[0])
    if first.place.local is None:
        return Side(str(first.place), language)
    return side_of_file(first.place.local, language, column)


def _apart(files: Iterable[Place], outs: Sequence[Place]) -> list[Place]:
    return [file for file in files if not any(file.lies_in(out) for out in outs)]


def tasks_for(shards: Iterable[Shard]) -> list[Task]:
    """A task for each shard, named by its place among them."""
    return [{"name": f"{number:05d}", "shard": str(shard.place)} for number, shard in enumerate(shards)]


def runs(sizes: Sequence[int], most: int) -> list[Run]:
    """Runs of shards, from one to before another, that together are of a size up to `most`, or one that is larger.

    None is without anything unless all are: clusters cannot be made of nothing.

    >>> runs([3, 3, 3, 9, 1], 6)
    [(0, 2), (2, 3), (3, 4), (4, 5)]
    """
    found: list[Run] = []
    begin = total = 0
    for shard, size in enumerate(sizes):
        if total and size and total + size > most:
            found.append((begin, shard))
            begin, total = shard, 0
        total += size
    return [*found, (begin, len(sizes))] if sizes else found
