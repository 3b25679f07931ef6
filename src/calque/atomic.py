"""Files that are either wholly there or not at all."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from .errors import CalqueError

_UNFINISHED = ".unfinished"


@contextlib.contextmanager
def writing(path: str | Path) -> Iterator[IO[bytes]]:
    """A file to write to that takes the place of `path` when the block ends well, and leaves no trace otherwise.

    A pipe or a device is written to as it is: taking its place would break it. A link stays, and what it leads to is
    replaced.

    Raises:
        CalqueError: the disk is full or the folder cannot be written to.
    """
    import tempfile  # whoever only reads need not wait for it

    named, path = Path(path), Path(os.path.realpath(path))
    unfinished: str | None = None
    try:
        if path.exists() and not (path.is_file() or path.is_dir()):
            with open(path, "wb") as special:
                yield special
            return
        with tempfile.NamedTemporaryFile(
            dir=path.parent, prefix=f".{path.name}.", suffix=_UNFINISHED, delete=False
        ) as file:
            unfinished = file.name
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.chmod(unfinished, 0o666 & ~_umask())
        os.replace(unfinished, path)
        unfinished = None
    except BrokenPipeError:
        raise  # a reader of something else has gone
    except OSError as problem:
        raise cannot_write(named, problem) from problem
    finally:
        if unfinished is not None:
            with contextlib.suppress(OSError):
                os.unlink(unfinished)


def remove_unfinished(folder: Path) -> None:
    """Deletes what a process that was killed had been writing."""
    for path in folder.glob(f".*{_UNFINISHED}"):
        path.unlink(missing_ok=True)


def write_text(path: str | Path, text: str) -> None:
    with writing(path) as file:
        file.write(text.encode("utf-8"))


def cannot_write(path: Path, problem: OSError) -> CalqueError:
    reason = problem.strerror or str(problem)
    hint = "nothing was changed; free some space or choose another place"
    if path.is_dir():
        hint = "nothing was changed; that is a folder, so choose another place"
    elif not path.parent.is_dir():
        hint = f"nothing was changed; there is no folder {path.parent}: make it, or choose another place"
    return CalqueError(f"cannot write {path}: {reason}", hint=hint)


def cannot_write_temporary(problem: OSError) -> CalqueError:
    """Of files that nobody names; where there is no folder at all for them, the reason lists those that were tried."""
    import tempfile

    place = f" to {tempfile.tempdir}" if tempfile.tempdir else ""
    return CalqueError(
        f"cannot write temporary files{place}: {problem.strerror or problem}",
        hint="nothing was changed; free some space there, or set TMPDIR to another folder",
    )


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
