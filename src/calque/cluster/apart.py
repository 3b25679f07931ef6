"""Folders that are written to lie apart from those that are read, whose shards their parts would become."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations
from pathlib import Path

from ..errors import UsageError
from .listing import STARS
from .places import Place
from .shards import Shard


def keep_apart(outs: Sequence[Place], paths: Iterable[str | Path], shards: Iterable[Shard]) -> None:
    """
    Raises:
        UsageError: an output lies in a folder that is read, holds a file that is read, or lies in another output; or
            has a name that whoever keeps it would take for several.
    """
    for out in outs:
        if out.is_address and any(sign in str(out) for sign in (*STARS, "::")):
            raise UsageError(f"{out}: cannot be written to", hint="name a folder without *, ?, [ and ::")
    for one, other in combinations(outs, 2):
        if one.lies_in(other) or other.lies_in(one):
            raise UsageError(f"{one} and {other} are one folder, or one holds the other", hint="give each its own")
    places = [Place.of(path) for path in paths]
    folders = [place for place in places if place.is_folder()]
    files = [shard.place for shard in shards]
    for out in outs:
        for read in folders:
            if out.lies_in(read) and read.lies_in(out):
                raise UsageError(f"{out} is what is read", hint="name a new folder")
            if out.lies_in(read):
                raise UsageError(f"{out} lies in {read}, which is read", hint="name a folder outside it")
        if any(file.lies_in(out) for file in files):
            raise UsageError(f"{out} holds what is read", hint="name a new folder")
