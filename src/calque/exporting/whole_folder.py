"""Folders that are either wholly there or not at all."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from ..atomic import cannot_write
from ..errors import UsageError

# Without these a folder is not taken for a model: they come last into one that is there already.
_LAST = ("config.json", "model.onnx")


@contextlib.contextmanager
def new_folder(out: Path) -> Iterator[Path]:
    """A folder to write to that takes the place of `out` when the block ends well, and leaves no trace otherwise.

    Raises:
        UsageError: there is something at `out` already, other than an empty folder.
        CalqueError: the disk is full or the place cannot be written to.
    """
    if out.exists() and not (out.is_dir() and not any(out.iterdir())):
        raise UsageError(f"{out} exists and is not an empty folder", hint="choose another place")
    # An empty folder may be where a shell stands or a disk is mounted: it stays, and gets what is in the new one.
    inside = out.is_dir()
    place = (out if inside else out.parent) / f".{out.resolve().name}.{os.getpid()}.unfinished"
    try:
        place.mkdir(parents=True)
        yield place
        if inside:
            for path in sorted(place.iterdir(), key=lambda path: path.name in _LAST):
                os.rename(path, out / path.name)
        else:
            os.rename(place, out)
    except OSError as problem:
        raise cannot_write(out, problem) from problem
    finally:
        shutil.rmtree(place, ignore_errors=True)
