"""Folders for temporary files that somebody clears away, even if whoever made them is killed."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from .atomic import cannot_write_temporary
from .held import is_ours, remove_if_abandoned


@contextlib.contextmanager
def temporary_folder(purpose: str) -> Iterator[Path]:
    """A folder that goes with the block; those that killed processes left for the same purpose go before.

    Raises:
        CalqueError: there is no room for it.
    """
    import tempfile

    try:
        _remove_abandoned(tempfile.gettempdir(), f"calque-{purpose}-")
        folder, held = _new_folder(f"calque-{purpose}-")
    except OSError as problem:
        raise cannot_write_temporary(problem) from problem
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        if held is not None:
            os.close(held)


def _new_folder(prefix: str) -> tuple[Path, int | None]:
    """A folder and what holds it; None on Windows, where a folder cannot be held and is never taken for abandoned."""
    import tempfile

    while True:
        folder = Path(tempfile.mkdtemp(prefix=prefix))
        try:
            held = os.open(folder, os.O_RDONLY)
        except PermissionError:
            return folder, None
        except FileNotFoundError:
            continue
        if is_ours(folder, held):
            return folder, held
        os.close(held)


def _remove_abandoned(parent: str, prefix: str) -> None:
    for each in os.scandir(parent):
        if each.name.startswith(prefix) and each.is_dir(follow_symlinks=False):
            remove_if_abandoned(each.path, partial(shutil.rmtree, ignore_errors=True))
