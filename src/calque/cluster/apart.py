"""Folders that are written to lie apart from those that are read, whose shards their parts would become."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations
from pathlib import Path, PurePosixPath

from ..errors import UsageError
from .places import Place
from .shards import Shard


def keep_apart(outs: Sequence[Place], paths: Iterable[str | Path], shards: Iterable[Shard]) -> None:
    """
    Raises:
        UsageError: an output lies in a folder that is read, holds a file that is read, or lies in another output.
    """
    for one, other in combinations(outs, 2):
        if _within(one, other) or _within(other, one):
            raise UsageError(f"{one} and {other} are one folder, or one holds the other", hint="give each its own")
    places = [Place.of(path) for path in paths]
    folders = [place for place in places if place.is_folder()]
    files = [shard.place for shard in shards]
    for out in outs:
        for read in folders:
            if _within(out, read):
                raise UsageError(f"{out} lies in {read}, which is read", hint="name a folder outside it")
        if any(_within(file, out) for file in files):
            raise UsageError(f"{out} holds what is read", hint="name a new folder")


def _within(place: Place, folder: Place) -> bool:
    """Whether it is the folder, or lies in it."""
    return _parts(place)[: len(_parts(folder))] == _parts(folder)


def _parts(place: Place) -> tuple[str, ...]:
    here = place.local
    return PurePosixPath(place.address).parts if here is None else here.resolve().parts
