"""The folder that mining works in: what it was begun with, so that it goes on only with the same."""

from __future__ import annotations

import json
import shutil
from dataclasses import asdict, dataclass
from pathlib import Path

from ..atomic import cannot_write, remove_unfinished, write_text
from ..errors import UsageError

_NAME = "mining.json"


@dataclass(frozen=True)
class Job:
    """All that neighbours depend on besides the two texts."""

    model: str  # checksum
    neighbours: int
    keep_repeats: bool
    languages: tuple[str, str] | None
    format: int = 1


def open_job(folder: Path, job: Job) -> None:
    """Makes the folder, or finds the same job in it.

    Raises:
        UsageError: it holds another job, or something else.
    """
    described = json.loads(json.dumps(asdict(job)))
    path = folder / _NAME
    if path.exists():
        if _read(path) != described:
            raise UsageError(
                f"{folder} was begun with another model or other options",
                hint=f"delete it to begin anew: rm -r {folder}",
            )
        remove_unfinished(folder)
        return
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"{folder} holds something else", hint="name another folder with --work")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise cannot_write(folder, problem) from problem
    write_text(path, json.dumps(described, indent=2) + "\n")


def forget_job(folder: Path) -> None:
    if (folder / _NAME).exists():
        shutil.rmtree(folder, ignore_errors=True)


def _read(path: Path) -> object:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except ValueError:
        return None
