"""Texts that are typed as arguments."""

from __future__ import annotations

import os
from pathlib import PurePath

from ..errors import UsageError
from .quotes import quoted


def require_no_files(texts: tuple[str, ...]) -> None:
    """Names of files are not what anybody wants to compare.

    Raises:
        UsageError: both are files.
    """
    if all(os.path.isfile(text) for text in texts):
        raise UsageError(
            f"{' and '.join(texts)} are files, and two texts are compared here",
            hint=f"paste {' '.join(texts)} | calque similarity --pairs - compares them line by line",
        )


def require_no_text(file: str) -> None:
    """A text in place of the name of a file.

    Raises:
        UsageError: there is no such file, and it reads like a text.
    """
    if " " in file and not PurePath(file).suffix and not os.path.exists(file):
        raise UsageError(
            f"cannot read {file}: No such file or directory",
            hint=f"FILE is the name of a file; a text itself goes through a pipe: echo {quoted(file)} | calque encode",
        )
