"""Pipes for work that reads its text more than once: copies in the folder that the work is done in."""

from __future__ import annotations

import contextlib
import io
import os
import re
import stat
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from ..atomic import writing
from ..corpus import STDIN
from ..corpus.files import open_as_it_is
from ..errors import CorpusError, UsageError
from .inputs import require_one_standard_input

NAME = "standard-input"
_SAVED = re.compile(rf"{NAME}(-[0-9]+(\..+)?)?")
_UNFINISHED = re.compile(rf"\.{_SAVED.pattern}\.[^.]+\.unfinished")
_BLOCK = 1 << 20
_LONGEST = 200  # bytes of a pipe's name that its copy's has room for


@contextlib.contextmanager
def saved_input(
    paths: Sequence[str], folder: Path, is_needed: Callable[[], bool] = lambda: False
) -> Iterator[list[str]]:
    """The paths with copies in place of `-` and of pipes, which go again if the block fails and nobody needs them.

    Raises:
        UsageError: standard input or a pipe is named twice, or cannot be opened.
        CorpusError: it cannot be read.
        CalqueError: there is no room for a copy.
    """
    copies = {path: folder / name for path, name in _names(paths).items()}
    try:
        for path, copy in copies.items():
            _save(path, copy)
        yield [str(copies.get(path, path)) for path in paths]
    except BaseException:
        if copies and not is_needed():
            forget_input(folder)
        raise


def is_read_once(path: str) -> bool:
    """Whether a copy must be made of it to read it again: standard input, and pipes."""
    return path == STDIN or _is_pipe(path)


def _names(paths: Sequence[str]) -> dict[str, str]:
    """What the copies of those that can be read once only are called; a pipe's own name may tell its languages."""
    require_one_standard_input(paths)
    pipes = [path for path in paths if path != STDIN and _is_pipe(path)]
    for path in pipes:
        if pipes.count(path) > 1:
            raise UsageError(f"{path} is a pipe and can be read once only", hint="name it once")
    names = {path: f"{NAME}-{number}{_ending(path)}" for number, path in enumerate(pipes, 1)}
    return names | ({STDIN: NAME} if STDIN in paths else {})


def _is_pipe(path: str) -> bool:
    """A terminal, as /dev/stdin may be, is one, too; what is not there is left to whoever opens it."""
    try:
        mode = os.stat(path).st_mode
    except (OSError, ValueError):
        return False
    return stat.S_ISFIFO(mode) or stat.S_ISCHR(mode)


def _ending(path: str) -> str:
    """Nothing for pipes that a shell has made, which have numbers."""
    name = Path(path).name
    if Path(path).absolute().is_relative_to("/dev") or len(os.fsencode(name)) > _LONGEST:
        return ""
    return f".{name}"


def _save(path: str, copy: Path) -> None:
    with open_as_it_is(path) as pipe, writing(copy) as file:
        while block := _read(pipe, path):
            file.write(block)


def _read(pipe: io.BufferedReader, path: str) -> bytes:
    try:
        return pipe.read(_BLOCK)
    except OSError as problem:  # which would be taken for one of writing
        name = "standard input" if path == STDIN else path
        raise CorpusError(f"cannot read {name}: {problem.strerror or problem}") from problem


def is_saved_input(path: Path) -> bool:
    """Whether a file in a folder that work was done in is such a copy, or was becoming one."""
    return bool(_SAVED.fullmatch(path.name) or _UNFINISHED.fullmatch(path.name))


def forget_input(folder: Path) -> None:
    for path in folder.glob(f"{NAME}*"):
        if is_saved_input(path):
            path.unlink(missing_ok=True)
