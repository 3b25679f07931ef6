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
from ..regular import read_bytes
from ..temporary import thoroughly
from .manifest import DELETED, NAME, SEGMENT, DamagedIndex, Manifest, number_in

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
                    thoroughly(partial(_remove_leftovers, folder))
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
        return read_bytes(folder / NAME)
    except OSError:
        return None


def _remove_leftovers(folder: Path) -> None:
    """What no manifest names: the work of a process that was killed, or what has been replaced.

    Of a damaged manifest nobody knows what it names, so everything stays until there is another.
    """
    remove_unfinished(folder)
    try:
        manifest = Manifest.read(folder) if (folder / NAME).exists() else None
    except DamagedIndex:
        return
    named = {*(segment.name for segment in manifest.segments), manifest.deleted} if manifest else set()
    for path in folder.iterdir():
        if path.name not in named and SEGMENT.fullmatch(path.name):
            shutil.rmtree(path, ignore_errors=True)
        elif path.name not in named and DELETED.fullmatch(path.name):
            path.unlink(missing_ok=True)


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
        _require_replaceable(folder)
        return
    if folder.exists() and not (folder.is_dir() and all(map(_is_ours, folder.iterdir()))):
        raise UsageError(f"{folder} exists and is not an empty folder", hint="choose another place")


def _require_replaceable(folder: Path) -> None:
    """A damaged manifest may be replaced if what lies beside it shows that it was one.

    Raises:
        ModelError: it is somebody else's, or of a newer format, or may be somebody else's.
    """
    try:
        Manifest.read(folder)
    except DamagedIndex:
        beside = [path for path in folder.iterdir() if path.name != NAME]
        if not (all(map(_is_ours, beside)) and any(SEGMENT.fullmatch(path.name) for path in beside)):
            raise


def next_number(folder: Path) -> int:
    """Of a new segment or list of deletions; where no manifest tells, after all that are there."""
    with contextlib.suppress(DamagedIndex):
        if (folder / NAME).exists():
            return Manifest.read(folder).next_number
    names = (path.name for path in folder.iterdir())
    return 1 + max((number_in(name) for name in names if SEGMENT.fullmatch(name) or DELETED.fullmatch(name)), default=0)


def _is_ours(path: Path) -> bool:
    name = path.name
    unfinished = name.startswith(f".{NAME}.") or name == f"{LOCK}.lock"
    return unfinished or bool(SEGMENT.fullmatch(name) or DELETED.fullmatch(name))
