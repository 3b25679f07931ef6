"""Which files of a folder, or of a name with stars, are somebody's text, and not what programs keep to themselves."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import NoReturn

STARS = ("*", "?", "[")
_HIDDEN = ("_", ".")  # what writers of shards, here and elsewhere, keep to themselves


def files_below(folder: str) -> Iterator[str]:
    """All files below a folder on a disk, those behind links, too, once.

    Raises:
        OSError: a folder among them cannot be looked into.
    """
    met: set[str] = set()
    for path, folders, files in os.walk(folder, onerror=_raise, followlinks=True):
        folders.sort()
        if (real := os.path.realpath(path)) in met:
            folders.clear()
            continue
        met.add(real)
        yield from (os.path.join(path, file) for file in files)


def _raise(problem: OSError) -> NoReturn:
    raise problem


def is_hidden(path: str) -> bool:
    return any(part.startswith(_HIDDEN) for part in path.split("/"))


def is_passed_over(path: str, pattern: str) -> bool:
    """Whether stars stand for something hidden; `_*` asks for it."""
    asked = pattern.split("/")
    fixed = next((at for at, part in enumerate(asked) if any(star in part for star in STARS)), len(asked))
    hidden = [part for part in path.split("/")[fixed:] if part.startswith(_HIDDEN)]
    return any(not any(each.startswith(part[0]) for each in asked[fixed:]) for part in hidden)
