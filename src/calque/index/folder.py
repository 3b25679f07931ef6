"""The index folder: who may write to it, and what in it is whose."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from ..atomic import remove_unfinished
from ..errors import CalqueError, UsageError
from ..locks import alone
from .manifest import DELETED, NAME, SEGMENT, Manifest

LOCK = "index"

Publish = Callable[[Manifest], None]


@contextlib.contextmanager
def writing_alone(folder: Path) -> Iterator[Publish]:
    """Gives what puts a new manifest in its place; whatever happens, what no manifest names is gone in the end.

    Where there are no locks it stays: it may be what another process is writing.
    """
    new = not folder.exists()
    try:
        with alone(folder / LOCK) as sure:
            if sure:
                _remove_leftovers(folder)
            try:
                yield partial(_publish, folder, _content(folder))
            finally:
                if sure:
                    _remove_leftovers(folder)
    except BaseException:
        if new:
            with contextlib.suppress(OSError):
                folder.rmdir()
        raise


def _publish(folder: Path, before: bytes | None, manifest: Manifest) -> None:
    """
    Raises:
        CalqueError: the manifest is not the one that was there `before`, so that another's change would be undone.
    """
    if _content(folder) != before:
        raise CalqueError(
            f"another process has changed {folder} meanwhile",
            hint="its change stands, and this one was not made; make it again, one at a time where there are no locks",
        )
    manifest.write(folder)


def _content(folder: Path) -> bytes | None:
    """The manifest as it lies there, if it does, to tell it from any other."""
    try:
        return (folder / NAME).read_bytes()
    except OSError:
        return None


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
