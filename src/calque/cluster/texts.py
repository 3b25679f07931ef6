"""Which texts of a shard are meant: its lines, or a column of it."""

from __future__ import annotations

from pathlib import Path

from ..corpus.files import open_bytes
from ..corpus.texts import Column, require_lines


def column_in(path: Path, column: Column | None) -> Column | None:
    """The column to read, or none where there is nothing: an empty file has no names of columns.

    Raises:
        UsageError: a file whose lines are no sentences at all, and no column of which is asked for.
    """
    if is_empty(path):
        return None
    if column is None:
        require_lines(path, columns=True)
    return column


def is_empty(path: Path) -> bool:
    """Whether there is nothing in a file, compressed or not."""
    with open_bytes(path) as file:
        return not file.peek(1)
