"""The forms that bitext comes in, a file each: `read(file, name, wanted)` and, where it can be made, `write`.

A format is found out by a file's content, so that a wrong name does no harm; only CSV, which looks like any text, needs
its name or to be told.
"""

from __future__ import annotations

import io
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path
from typing import IO, Protocol

from ..files import HEAD, open_bytes
from ..pair import Languages, Pair, Reading, Wanted
from .detect import detect

__all__ = ["MOSES", "READABLE", "WRITABLE", "Format", "detect", "format_named", "format_of"]

# Known by name here, imported when used: some need packages that take a while to load.
_MODULES = {
    "tsv": "tsv",
    "csv": "csv",
    "moses": "moses",
    "zip": "zipped",
    "tmx": "tmx",
    "xliff": "xliff",
    "po": "po",
    "jsonl": "json_lines",
    "parquet": "parquet",
    "arrow": "arrow",
}
MOSES = "moses"  # two files, and so not read as the others are
READABLE = tuple(_MODULES)
WRITABLE = ("tsv", "csv", "moses", "tmx", "jsonl", "parquet")


class Format(Protocol):
    """What each module here offers. `read` closes nothing; what it gives is read before the file is closed."""

    @staticmethod
    def read(file: io.BufferedReader, name: str, wanted: Wanted) -> Reading: ...

    @staticmethod
    def write(file: IO[bytes], batches: Iterable[list[Pair]], languages: Languages | None) -> None: ...


def format_of(path: str | Path) -> str:
    """What a file's content says it is: a format's name, or "text"."""
    with open_bytes(path) as file:
        return detect(file.peek(HEAD), str(path))


def format_named(name: str) -> Format:
    module: Format = import_module(f".{_MODULES[name]}", __name__)  # type: ignore[assignment]
    return module
