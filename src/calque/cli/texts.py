"""Texts that are typed as arguments."""

from __future__ import annotations

import os

from ..errors import UsageError


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
