"""Standard input for work that reads its text more than once: a copy in the folder that the work is done in."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from ..atomic import writing
from ..corpus import STDIN
from ..corpus.files import standard_input
from ..errors import CorpusError
from .inputs import require_one_standard_input

NAME = "standard-input"


@contextlib.contextmanager
def saved_input(
    paths: Sequence[str], folder: Path, is_needed: Callable[[], bool] = lambda: False
) -> Iterator[list[str]]:
    """The paths with a copy in place of `-`, which goes again if the block fails and nobody needs it to go on.

    Raises:
        UsageError: standard input is named twice, or closed.
        CorpusError: it cannot be read.
        CalqueError: there is no room for the copy.
    """
    if STDIN not in paths:
        yield list(paths)
        return
    require_one_standard_input(paths)
    copy = folder / NAME
    try:
        with writing(copy) as file:
            for block in iter(_read, b""):
                file.write(block)
        yield [str(copy) if path == STDIN else path for path in paths]
    except BaseException:
        if not is_needed():
            forget_input(folder)
        raise


def _read() -> bytes:
    try:
        return standard_input().read(1 << 20)
    except OSError as problem:  # which would be taken for one of writing
        raise CorpusError(f"cannot read standard input: {problem.strerror or problem}") from problem


def forget_input(folder: Path) -> None:
    (folder / NAME).unlink(missing_ok=True)
