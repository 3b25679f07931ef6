"""The index folder: who may write to it, and what in it is whose."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Iterator
from pathlib import Path

from ..atomic import remove_unfinished
from ..errors import UsageError
from ..locks import alone
from .manifest import DELETED, NAME, SEGMENT, Manifest

LOCK = "index"


@contextlib.contextmanager
def writing_alone(folder: Path) -> Iterator[None]:
    """Whatever happens, what no manifest names is gone in the end."""
    new = not folder.exists()
    try:
        with alone(folder / LOCK):
            _remove_leftovers(folder)
            try:
                yield
            finally:
                _remove_leftovers(folder)
    except BaseException:
        if new:
            with contextlib.suppress(OSError):
                folder.rmdir()
        raise


def _remove_leftovers(folder: Path) -> None:
    """What no manifest names: the work of a process that was killed, or what has been replaced."""
    manifest = Manifest.read(folder) if (folder / NAME).exists() else None
    named = {*(segment.name for segment in manifest.segments), manifest.deleted} if manifest else set()
    for path in folder.iterdir():
        if path.name not in named and SEGMENT.fullmatch(path.name):
            shutil.rmtree(path, ignore_errors=True)
        elif path.name not in named and DELETED.fullmatch(path.name):
            path.unlink(missing_ok=True)
    remove_unfinished(folder)


def require_free(folder: Path, overwrite: bool) -> None:
    """
    Raises:
        UsageError: an index could not be built there without losing something.
    """
    if (folder / NAME).exists():
        if not overwrite:
            raise UsageError(
                f"{folder} holds an index already",
                hint="`calque search add` adds to it, and --overwrite replaces it",
            )
        Manifest.read(folder)
        return
    if folder.exists() and not (folder.is_dir() and all(map(_is_ours, folder.iterdir()))):
        raise UsageError(f"{folder} exists and is not an empty folder", hint="choose another place")


def _is_ours(path: Path) -> bool:
    name = path.name
    unfinished = name.startswith(f".{NAME}.") or name == f"{LOCK}.lock"
    return unfinished or bool(SEGMENT.fullmatch(name) or DELETED.fullmatch(name))
