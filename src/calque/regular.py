"""Files of folders that may come from strangers: opened only if they are regular files.

Opening a pipe waits for a writer, which may never come, and a device never ends.
"""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import BinaryIO


def open_regular(path: Path) -> BinaryIO:
    """Open a file to read its bytes.

    Raises:
        OSError: it cannot be opened, or is a pipe, a socket or a device.
    """
    file = open(path, "rb", opener=_at_once)  # noqa: SIM115 (the caller closes it)
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise OSError(errno.EINVAL, "it is not a regular file", str(path))
    return file


def read_bytes(path: Path) -> bytes:
    """Raises OSError as `open_regular` does."""
    with open_regular(path) as file:
        return file.read()


def read_text(path: Path) -> str:
    """Return a UTF-8 file's text, any line ending as a line feed.

    Raises:
        OSError: as `open_regular` raises it.
        ValueError: it is not UTF-8.
    """
    return read_bytes(path).decode("utf-8").replace("\r\n", "\n").replace("\r", "\n")


def _at_once(path: str, flags: int) -> int:
    """Open without waiting for the other end of a pipe; for a regular file it makes no difference."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))
