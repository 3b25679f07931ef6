"""The files of a suite, found by their names below the folder that the user points at."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from ...corpus.files import COMPRESSED
from ...errors import UsageError

_DEPTH = 4  # folders below the one given: the sets of a year lie three below a folder of all data
_MOST = 200_000  # files and folders to look at
_NO_SET = re.compile(r"\.|__MACOSX$|.*\.fetched$")  # what archives and unfinished downloads leave
_COMPRESSED = re.compile(rf"\.(?:{'|'.join(COMPRESSED)})$")


def files_of(path: str | Path) -> list[Path]:
    """A file alone, or all files in a folder and the folders below it, nearest first in the order of their names.

    Raises:
        UsageError: no such file or folder, or one that holds far too much to be evaluation data.
    """
    top = Path(path)
    try:
        if top.is_file():
            return [top]
        found = sorted(_below(top))
    except (OSError, ValueError) as problem:
        reason = getattr(problem, "strerror", None) or problem
        raise UsageError(f"cannot read {path}: {reason}", hint="--data takes the folder with a suite's files") from None
    return [file for _, _, file in found]


def _below(top: Path) -> Iterator[tuple[int, Path, Path]]:
    waiting, seen = [(top, 0)], {top.resolve()}
    count = 0
    while waiting:
        folder, depth = waiting.pop()
        for path in _inside(folder, top):
            count += 1
            if count > _MOST:
                raise UsageError(
                    f"{top} holds more than {_MOST:,} files and folders", hint="point at the folder of the suite itself"
                )
            if path.is_file():
                yield depth, folder, path
            elif depth < _DEPTH and path.is_dir() and (real := path.resolve()) not in seen:
                seen.add(real)
                waiting.append((path, depth + 1))


def _inside(folder: Path, top: Path) -> list[Path]:
    try:
        return [path for path in folder.iterdir() if not _NO_SET.match(path.name)]
    except OSError:
        if folder == top:
            raise
        return []  # somebody else's


def name_of(path: Path) -> str:
    """A file's name without what tells that it is compressed."""
    return _COMPRESSED.sub("", path.name)


def stem_of(path: Path) -> str:
    """
    >>> stem_of(Path("sts/2012/surprise.OnWN.tsv.xz"))
    'surprise.OnWN'
    """
    return re.sub(r"\.(?:tsv|txt|csv)$", "", name_of(path))


def folders_of(path: Path) -> list[str]:
    """The names of the folders that a file lies in, nearest first; a link goes by its own name."""
    return [folder.name for folder in Path(os.path.abspath(path)).parents]


def is_tsv(path: Path) -> bool:
    return name_of(path).endswith(".tsv")


def nothing_found(path: str | Path, suite: str, expected: str, hint: str) -> UsageError:
    return UsageError(f"{path}: no files of the suite {suite}: looked for {expected}", hint=hint)


def check_once(named: Iterable[tuple[str, Path]]) -> None:
    """A set that lies in two places would count twice.

    Raises:
        UsageError: with both places.
    """
    places: dict[str, Path] = {}
    for name, place in named:
        if name in places:
            raise UsageError(
                f"{name} is there twice: {places[name]} and {place}", hint="point at the folder of one of them"
            )
        places[name] = place
