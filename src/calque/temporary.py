"""Folders for temporary files that somebody clears away, even if whoever made them is killed."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from .atomic import cannot_write_temporary
from .held import is_ours, remove_if_abandoned

_SUFFIX = ".unfinished"


@contextlib.contextmanager
def temporary_folder(purpose: str) -> Iterator[Path]:
    """A folder that goes with the block; those that killed processes left for the same purpose go before.

    Raises:
        CalqueError: there is no room for it.
    """
    import tempfile

    try:
        _remove_abandoned(tempfile.gettempdir(), purpose)
        folder, held = _new_folder(purpose)
    except OSError as problem:
        raise cannot_write_temporary(problem) from problem
    try:
        yield folder
    finally:
        thoroughly(partial(shutil.rmtree, folder, ignore_errors=True))
        if held is not None:
            os.close(held)


def thoroughly(clear: Callable[[], object]) -> None:
    """Clears away to the end though it is interrupted, which is heard after that; a second time it is heard at once."""
    try:
        clear()
    except KeyboardInterrupt:
        clear()
        raise


def _new_folder(purpose: str) -> tuple[Path, int | None]:
    """A folder and what holds it; None on Windows, where a folder cannot be held and is never taken for abandoned."""
    import tempfile

    while True:
        folder = Path(tempfile.mkdtemp(prefix=_prefix(purpose), suffix=_SUFFIX))
        try:
            held = os.open(folder, os.O_RDONLY)
        except PermissionError:
            return folder, None
        except FileNotFoundError:
            continue
        if is_ours(folder, held):
            return folder, held
        os.close(held)


def _remove_abandoned(parent: str, purpose: str) -> None:
    """Where one may write but not look, nothing is cleared away, and that is no error."""
    ours = re.compile(rf"{re.escape(_prefix(purpose))}[a-z0-9_]{{8}}{re.escape(_SUFFIX)}")  # as mkdtemp names them
    with contextlib.suppress(OSError), os.scandir(parent) as entries:
        for each in entries:
            if ours.fullmatch(each.name) and _is_own_folder(each):
                remove_if_abandoned(each.path, partial(shutil.rmtree, ignore_errors=True))


def _prefix(purpose: str) -> str:
    """Hidden, and with its suffix a name that nobody chooses by hand: a user's own folders lie in TMPDIR, too."""
    return f".calque-{purpose}-"


def _is_own_folder(entry: os.DirEntry[str]) -> bool:
    try:
        if not entry.is_dir(follow_symlinks=False):
            return False
        return not hasattr(os, "getuid") or entry.stat(follow_symlinks=False).st_uid == os.getuid()
    except OSError:  # it went meanwhile
        return False
