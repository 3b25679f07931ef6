"""The first files of a training: a process that is killed among them leaves a folder that can be begun in again.

A mark says that all else in the folder is Calque's own, since it was empty before; it goes when training.json is there,
from which on the training is resumed.
"""

from __future__ import annotations

import contextlib
import errno
from collections.abc import Iterator
from pathlib import Path

from ..atomic import cannot_write
from ..errors import CalqueError, CorpusError, Stopped, UsageError
from .saved_input import is_saved_input
from .training_run import RUN

_MARK = "training.begun"


@contextlib.contextmanager
def beginning(folder: Path) -> Iterator[None]:
    """The block writes to a folder that is empty but for saved input, and empty again if the block fails.

    If there is a training.json by then, only what is wrong with the input empties it: all else can be mended, a disk
    that failed to give the input included, and the training resumed.

    Raises:
        CalqueError: the folder cannot be written to.
        Stopped: instead of KeyboardInterrupt, where the training can be resumed.
    """
    try:
        (folder / _MARK).touch()
        yield
    except BaseException as problem:
        told = _told(folder, problem)
        if is_begun(folder) and not _is_wrong_input(problem):
            told = _to_be_resumed(folder, told)
        else:
            _clear(folder)
        if told is not problem:
            raise told from problem
        raise
    finally:
        if is_begun(folder):
            forget_beginning(folder)


def _is_wrong_input(problem: BaseException) -> bool:
    """Not what the system says when it reads: every file has been opened before, so even one that is gone was there."""
    cause: BaseException | None = problem
    while cause is not None:
        if isinstance(cause, OSError) and cause.errno is not None:  # without a number, it is a library's on content
            return False
        cause = cause.__cause__
    return isinstance(problem, CorpusError | UsageError)


def _told(folder: Path, problem: BaseException) -> BaseException:
    if isinstance(problem, OSError) and problem.errno != errno.EIO:  # which is what reading may give
        return cannot_write(folder, problem)
    return problem


def _to_be_resumed(folder: Path, problem: BaseException) -> BaseException:
    """The same with a way to go on."""
    way = f"calque train --resume {folder}"
    if isinstance(problem, KeyboardInterrupt):
        return Stopped("stopped; everything so far is saved", hint=way)
    if isinstance(problem, OSError):
        return CalqueError(str(problem), hint=f"once it can be read: {way}")
    if isinstance(problem, CalqueError) and not isinstance(problem, Stopped):
        problem.hint = f"everything so far is saved; once that is mended: {way}"
    return problem


def is_begun(folder: Path) -> bool:
    """Whether all is there that a training needs to be resumed."""
    return (folder / RUN).exists()


def forget_beginning(folder: Path) -> None:
    (folder / _MARK).unlink(missing_ok=True)


def can_begin(folder: Path) -> bool:
    """Whether a folder is empty, or was when a process that has been killed began in it; it is then emptied.

    Raises:
        UsageError: nobody may look into it.
    """
    if not folder.is_dir() or is_begun(folder):
        return False
    if (folder / _MARK).exists() or all(map(is_saved_input, _files(folder))):
        _clear(folder)
        return True
    return False


def _files(folder: Path) -> list[Path]:
    try:
        return list(folder.iterdir())
    except OSError as problem:
        raise UsageError(
            f"cannot tell whether {folder} is empty: {problem.strerror or problem}",
            hint="choose another --out, or allow reading it",
        ) from problem


def _clear(folder: Path) -> None:
    """Killed on the way, it leaves what can be begun in: the training goes first, and the mark last."""
    with contextlib.suppress(OSError):
        for path in sorted(folder.iterdir(), key=lambda path: (path.name != RUN, path.name == _MARK)):
            path.unlink()
