"""The first files of a training: a process that is killed among them leaves a folder that can be begun in again.

A mark says that all else in the folder is Calque's own, since it was empty before; it goes when training.json is there,
from which on the training is resumed.
"""

from __future__ import annotations

import contextlib
import errno
from collections.abc import Iterator
from pathlib import Path

from ..atomic import cannot_write, is_unfinished
from .saved_input import NAME as SAVED_INPUT
from .training_run import RUN

_MARK = "training.begun"


@contextlib.contextmanager
def beginning(folder: Path) -> Iterator[None]:
    """The block writes to a folder that is new, or empty but for saved input; if it fails, the folder is so again.

    Raises:
        CalqueError: the folder cannot be written to.
    """
    new = not folder.exists()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / _MARK).touch()
        yield
    except BaseException as problem:
        _clear(folder)
        if new:
            with contextlib.suppress(OSError):
                folder.rmdir()
        if isinstance(problem, OSError) and problem.errno != errno.EIO:  # which is what reading may give
            raise cannot_write(folder, problem) from problem
        raise
    forget_beginning(folder)


def forget_beginning(folder: Path) -> None:
    (folder / _MARK).unlink(missing_ok=True)


def can_begin(folder: Path) -> bool:
    """Whether a folder is empty, or was when a process that has been killed began in it; it is then emptied."""
    if not folder.is_dir() or (folder / RUN).exists():
        return False
    paths = list(folder.iterdir())
    if (folder / _MARK).exists() or all(path.name == SAVED_INPUT or is_unfinished(path, SAVED_INPUT) for path in paths):
        _clear(folder)
        return True
    return False


def _clear(folder: Path) -> None:
    with contextlib.suppress(OSError):
        for path in sorted(folder.iterdir(), key=lambda path: path.name == _MARK):  # the mark last
            path.unlink()
