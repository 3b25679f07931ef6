"""The folder that mining works in: what it was begun with, so that it goes on only with the same."""

from __future__ import annotations

import contextlib
import json
import shutil
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

from ..atomic import cannot_write, is_unfinished, remove_unfinished, write_text
from ..corpus.expectation import Named
from ..errors import UsageError
from ..regular import read_text
from ..saved import load
from ..temporary import thoroughly

_NAME, _DONE = "mining.json", "mining.done"


@dataclass(frozen=True)
class Job:
    """All that neighbours depend on besides the two texts."""

    model: str  # checksum
    neighbours: int
    keep_repeats: bool
    languages: tuple[str, str] | None
    others: tuple[Named, Named] | None = None  # languages that lines must be in; None: any
    format: int = 2


def open_job(folder: Path, job: Job) -> None:
    """Makes the folder, or finds the same job in it. A folder that is there stays the same one: it may be locked.

    Raises:
        UsageError: it holds another job, or something else.
    """
    described = json.loads(json.dumps(asdict(job)))
    path = folder / _NAME
    if (folder / _DONE).exists():
        _empty(folder)  # whoever was about to has been killed
    if path.exists():
        if _read(path) != described:
            raise UsageError(
                f"{folder} was begun with another model or other options",
                hint=f"delete it to begin anew: rm -r {folder}",
            )
        remove_unfinished(folder)
        return
    if folder.exists() and (not folder.is_dir() or not all(is_unfinished(each, _NAME) for each in folder.iterdir())):
        raise UsageError(f"{folder} holds something else", hint="name another folder with --work")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise cannot_write(folder, problem) from problem
    write_text(path, json.dumps(described, indent=2) + "\n")


def forget_beginning(folder: Path) -> None:
    """Forgets a job without a whole pile: nothing that would be worth going on from."""
    if not has_pile(folder):
        forget_job(folder)


def has_pile(folder: Path) -> bool:
    """Whether the same job would find something there that it need not do again."""
    return (folder / _NAME).exists() and any(path.name != _NAME for path in folder.glob("*.json"))


def forget_job(folder: Path) -> None:
    if (folder / _NAME).exists():
        (folder / _NAME).replace(folder / _DONE)
        thoroughly(partial(_remove, folder))


def _remove(folder: Path) -> None:
    with contextlib.suppress(FileNotFoundError):
        _empty(folder)
    shutil.rmtree(folder, ignore_errors=True)


def _empty(folder: Path) -> None:
    """What says that the rest may go is the last to go."""
    for path in sorted(folder.iterdir(), key=lambda path: path.name == _DONE):
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)


def _read(path: Path) -> object:
    try:
        return load(read_text(path))
    except ValueError:
        return None
