"""What an index folder holds, in one small file that is replaced as a whole.

index.json             this: segments, deletions, sources, the model's identity. What it does not name does not exist
segment-000001/        entries that never change once they are written (see segment.py)
deleted-000004.u64     the ids of entries that are gone, sorted
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from .._version import __version__
from ..atomic import write_text
from ..encoder import WIDEST
from ..errors import ModelError
from ..regular import read_text
from ..saved import count, get, optional

FORMAT = 1
NAME = "index.json"
SEGMENT, DELETED = re.compile(r"segment-\d{6,}"), re.compile(r"deleted-\d{6,}\.u64")
FILE = re.compile(r"[a-z]+\.[a-z0-9]+")
_MOST_ROWS = (1 << 31) - 1  # of a segment: what the kernel can scan


@dataclass(frozen=True)
class ModelIdentity:
    """Which model made the vectors: those of any other mean nothing beside them."""

    path: str
    checksum: str
    vocabulary: str


@dataclass(frozen=True)
class Source:
    """A file whose line n has the id first + n − 1."""

    name: str
    first: int
    lines: int


@dataclass(frozen=True)
class Stored:
    """A file of a segment as it was written."""

    size: int
    checksum: str


@dataclass(frozen=True)
class SegmentEntry:
    name: str
    rows: int
    files: dict[str, Stored]
    recall: float | None = None  # where there is an approximate index

    @property
    def number(self) -> int:
        return number_in(self.name)


@dataclass(frozen=True)
class Manifest:
    model: ModelIdentity
    dimension: int
    language: str | None
    approximate: bool
    next_id: int
    next_number: int  # of a segment or a list of deletions: no name is ever used twice
    sources: tuple[Source, ...] = ()
    segments: tuple[SegmentEntry, ...] = ()  # in the order of their ids
    deleted: str | None = None
    version: str = __version__

    def write(self, folder: Path) -> None:
        described = {"kind": "calque-index", "format": FORMAT, **asdict(self)}
        write_text(folder / NAME, json.dumps(described, ensure_ascii=False, indent=1) + "\n")

    @classmethod
    def read(cls, folder: Path) -> Manifest:
        """
        Raises:
            ModelError: no index, a damaged one, or one of a newer format.
        """
        saved = _read_json(folder)
        version = saved.get("format")
        if not isinstance(version, int) or not 1 <= version <= FORMAT:
            raise ModelError(
                f"{folder} has format {version}, and this version of Calque reads up to {FORMAT}", hint="upgrade calque"
            )
        try:
            return _from_dict(saved)
        except ValueError as problem:
            raise damaged(folder / NAME, str(problem)) from problem


def number_in(name: str) -> int:
    """
    >>> number_in("segment-000003")
    3
    """
    return int("".join(filter(str.isdecimal, name.partition(".")[0])))


class DamagedIndex(ModelError):
    """An index of which something cannot be read any more."""


def damaged(path: Path, why: str) -> DamagedIndex:
    return DamagedIndex(f"{path} is damaged: {why}", hint="copy the index again, or build it again")


def _read_json(folder: Path) -> dict[str, Any]:
    path = folder / NAME
    if not folder.exists():
        raise ModelError(f"there is no index at {folder}", hint="`calque search build CORPUS -o DIR` makes one")
    if not path.is_file():
        raise ModelError(
            f"{folder} is not an index: there is no {NAME} in it", hint="`calque search build CORPUS -o DIR` makes one"
        )
    try:
        saved = json.loads(read_text(path))
    except OSError as problem:
        raise DamagedIndex(
            f"cannot read {path}: {problem.strerror or problem}", hint="copy or build the index again"
        ) from problem
    except (ValueError, RecursionError) as problem:
        raise damaged(path, str(problem)) from problem
    if not isinstance(saved, dict) or saved.get("kind") != "calque-index":
        raise ModelError(f"{folder} is not an index", hint=f"its {NAME} was written by something else")
    return saved


def _from_dict(saved: Mapping[str, Any]) -> Manifest:
    model = get(saved, "model", dict)
    deleted = optional(saved, "deleted", str)
    if deleted is not None and not DELETED.fullmatch(deleted):
        raise ValueError(f"{deleted!r} is no list of deletions")
    segments = tuple(_segment(segment) for segment in get(saved, "segments", list))
    _require_distinct([segment.name for segment in segments])
    return Manifest(
        model=ModelIdentity(get(model, "path", str), get(model, "checksum", str), get(model, "vocabulary", str)),
        dimension=count(saved, "dimension", 1, WIDEST),
        language=optional(saved, "language", str),
        approximate=get(saved, "approximate", bool),
        next_id=count(saved, "next_id", 1),
        next_number=count(saved, "next_number", 1),
        sources=tuple(
            Source(get(source, "name", str), count(source, "first"), count(source, "lines"))
            for source in get(saved, "sources", list)
        ),
        segments=segments,
        deleted=deleted,
        version=get(saved, "version", str),
    )


def _require_distinct(names: list[str]) -> None:
    """
    Raises:
        ValueError: a segment is listed twice, so that each of its entries would be found twice.
    """
    twice = [name for name, times in Counter(names).items() if times > 1]
    if twice:
        raise ValueError(f"it lists {twice[0]} more than once")


def _segment(saved: Any) -> SegmentEntry:
    name = get(saved, "name", str)
    if not SEGMENT.fullmatch(name):
        raise ValueError(f"{name!r} is no segment")
    files = {
        file: Stored(count(stored, "size"), get(stored, "checksum", str))
        for file, stored in get(saved, "files", dict).items()
    }
    if outside := [file for file in files if not FILE.fullmatch(file)]:
        raise ValueError(f"{outside[0]!r} is no file of a segment")
    return SegmentEntry(name, count(saved, "rows", 1, _MOST_ROWS), files, optional(saved, "recall", float))
