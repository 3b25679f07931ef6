"""Standard input for work that reads its text more than once: a copy in the folder that the work is done in."""

from __future__ import annotations

import contextlib
import shutil
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from ..atomic import cannot_write, writing
from ..corpus import STDIN
from .inputs import require_one_standard_input

NAME = "standard-input"


@contextlib.contextmanager
def saved_input(paths: Sequence[str], folder: Path) -> Iterator[list[str]]:
    """The paths with a copy in place of `-`; the copy, and the folder if it was new, go again if the block fails.

    Raises:
        UsageError: standard input is named twice.
    """
    if STDIN not in paths:
        yield list(paths)
        return
    require_one_standard_input(paths)
    copy, new = folder / NAME, not folder.exists()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with writing(copy) as file:
            shutil.copyfileobj(sys.stdin.buffer, file, 1 << 20)
        yield [str(copy) if path == STDIN else path for path in paths]
    except OSError as problem:
        raise cannot_write(copy, problem) from problem
    except BaseException:
        forget_input(folder)
        if new:
            with contextlib.suppress(OSError):
                folder.rmdir()
        raise


def forget_input(folder: Path) -> None:
    (folder / NAME).unlink(missing_ok=True)
