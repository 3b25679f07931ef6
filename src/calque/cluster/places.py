"""Files and folders that all machines see: a shared disk, or any address that fsspec knows (s3://, gs://, ftp://)."""

from __future__ import annotations

import contextlib
import os
import posixpath
import shutil
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from ..atomic import cannot_write
from ..errors import CalqueError, UsageError
from ..extras import require
from ..temporary import temporary_folder
from .listing import files_below, is_hidden, is_passed_over

UNFINISHED = ".unfinished"
_TELLING = ("ETag", "etag", "md5Hash", "checksum", "mtime", "LastModified", "last_modified", "modified", "created")
_FAR = "://"  # in an address, and in no path


@dataclass(frozen=True)
class Place:
    """A file or folder; it travels as its address, and is opened wherever it is used."""

    address: str

    @classmethod
    def of(cls, path: str | Path) -> Place:
        """A relative path would mean another folder on another machine."""
        text = str(path)
        return cls(text if _FAR in text else str(Path(os.path.expanduser(text)).absolute()))

    def __truediv__(self, name: str) -> Place:
        return Place(f"{self.address.rstrip('/')}/{name}")

    def __str__(self) -> str:
        return self.address

    @property
    def name(self) -> str:
        return posixpath.basename(self._opened[1].rstrip("/"))

    @property
    def is_address(self) -> bool:
        return _FAR in self.address

    @property
    def local(self) -> Path | None:
        """Where it lies on a disk of this machine; None if it is reached over the network."""
        files, path = self._opened
        return Path(path) if type(files).__name__ == "LocalFileSystem" else None

    def exists(self) -> bool:
        files, path = self._opened
        with self.reading():
            return bool(files.exists(path))

    def is_folder(self) -> bool:
        files, path = self._opened
        with self.reading():
            return bool(files.isdir(path))

    def lies_in(self, folder: Place) -> bool:
        """Whether it is the folder, or lies in it, wherever links lead."""
        parts = folder._parts
        return self._parts[: len(parts)] == parts

    @property
    def _parts(self) -> tuple[str, ...]:
        return PurePosixPath(self.address).parts if self.local is None else self.local.resolve().parts

    def info(self) -> tuple[int, str]:
        """Size, and what changes when the content does, as far as whoever keeps it can tell."""
        files, path = self._opened
        with self.reading():
            if self.local is not None:  # a link more, or other rights, are no other content
                found = self.local.stat()
                return found.st_size, str(found.st_mtime_ns)
            # What else is known of a file depends on whether its folder has been listed.
            told = files.info(path)
            version = next((told[key] for key in _TELLING if told.get(key)), None)
            return int(told["size"]), str(version or files.ukey(path))

    def look_again(self) -> None:
        """Forgets what was seen at an address: others write there."""
        self._opened[0].invalidate_cache()

    def files(self) -> list[Place]:
        """All files below a folder, sorted by name; not those that a name marks as nobody else's."""
        files, path = self._opened
        with self.reading():
            found = map(str, files.find(path)) if self.local is None else files_below(path)
            below = sorted(each for each in found if not is_hidden(posixpath.relpath(each, path.rstrip("/") or "/")))
        return [self._beside(each) for each in below]

    def matching(self) -> list[Place]:
        """What a name with `*`, `?` or `[…]` stands for, sorted; what is hidden only where the name says so.

        Raises:
            UsageError: such a name stands for nothing at all.
        """
        files, path = self._opened
        try:
            with self.reading():
                found = sorted(map(str, files.glob(path)))
        except ValueError as problem:
            raise UsageError(f"{self.address}: {problem}", hint="* stands for a part of a name") from problem
        return [self._beside(each) for each in found if not is_passed_over(each, path)]

    def names(self) -> list[str]:
        """What lies directly in a folder; nothing if there is none."""
        files, path = self._opened
        if not self.is_folder():
            return []
        with self.reading():
            files.invalidate_cache(path)
            return sorted(posixpath.basename(str(each).rstrip("/")) for each in files.ls(path, detail=False))

    def read(self, begin: int | None = None, end: int | None = None) -> bytes:
        files, path = self._opened
        with self.reading():
            content: bytes = files.cat_file(path, start=begin, end=end)
            return content

    def write(self, content: bytes) -> None:
        """Wholly or not at all."""
        with self.placing() as path:
            path.write_bytes(content)

    def make(self) -> None:
        files, path = self._opened
        with self._writing():
            files.makedirs(path, exist_ok=True)

    def remove(self) -> None:
        """A file, or a folder with all that is in it; nothing if there is neither."""
        files, path = self._opened
        with self._writing(), contextlib.suppress(FileNotFoundError):
            files.rm(path, recursive=True)

    @contextlib.contextmanager
    def fetched(self) -> Iterator[Path]:
        """A file on this machine with the same name and content; a copy, where it is reached over the network."""
        if self.local is not None:
            yield self.local
            return
        files, path = self._opened
        with temporary_folder("cluster") as folder:
            copy = folder / self.name
            with self.reading():
                files.get_file(path, str(copy))
            try:
                yield copy
            except CalqueError as problem:  # a copy's name tells nobody anything
                problem.message = problem.message.replace(str(copy), self.address)
                problem.args = (problem.message,)
                raise

    @contextlib.contextmanager
    def fetched_from(self, names: Sequence[str]) -> Iterator[Path]:
        """A folder on this machine with these files of this one."""
        if self.local is not None:
            yield self.local
            return
        with temporary_folder("cluster") as folder:
            for name in names:
                files, path = (self / name)._opened
                with (self / name).reading():
                    files.get_file(path, str(folder / name))
            yield folder

    @contextlib.contextmanager
    def placing(self) -> Iterator[Path]:
        """A file on this machine to write, of the same name, which takes this place, whole, when the block ends well.

        Raises:
            CalqueError: the disk is full, or the folder cannot be written to.
        """
        unfinished = f".{self.name}.{uuid.uuid4().hex}{UNFINISHED}"
        try:
            if self.local is not None:
                with _folder(self.local.parent / unfinished) as folder:
                    yield folder / self.name
                    _flush(folder / self.name)
                    os.replace(folder / self.name, self.local)
                return
            with temporary_folder("cluster") as folder:
                yield folder / self.name
                with self._writing():
                    self._send(folder / self.name, unfinished)
        except OSError as problem:
            raise cannot_write(self.local or folder, problem) from problem

    @contextlib.contextmanager
    def placing_in(self) -> Iterator[Path]:
        """A folder on this machine; what is in it when the block ends well goes into this one, each file whole."""
        here = self.local
        room = temporary_folder("cluster") if here is None else _folder(here / f".{uuid.uuid4().hex}{UNFINISHED}")
        with room as folder:
            yield folder
            for file in sorted(folder.iterdir()):
                with (self / file.name).placing() as path:
                    shutil.move(file, path)

    def _send(self, file: Path, unfinished: str) -> None:
        """By another name first: not everyone who keeps files shows them only when they are whole."""
        files, path = self._opened
        beside = f"{posixpath.dirname(path)}/{unfinished}"
        try:
            files.put_file(str(file), beside)
            files.mv(beside, path)
        except BaseException:
            with contextlib.suppress(Exception):
                files.rm(beside)
            raise

    @contextlib.contextmanager
    def reading(self) -> Iterator[None]:
        """Says which file could not be read, whatever kept it."""
        try:
            yield
        except FileNotFoundError as problem:
            raise UsageError(
                f"no such file: {self.address}", hint="do all machines see it under this name?"
            ) from problem
        except Exception as problem:
            if self.local is not None and isinstance(problem, OSError):
                raise CalqueError(f"cannot read {self.address}: {problem.strerror or problem}") from problem
            self._explain("read", problem)
            raise

    @contextlib.contextmanager
    def _writing(self) -> Iterator[None]:
        """Says where nothing could be written, whatever kept it."""
        try:
            yield
        except Exception as problem:
            if self.local is not None and isinstance(problem, OSError):
                raise cannot_write(self.local, problem) from problem
            self._explain("write", problem)
            raise

    def _explain(self, what: str, problem: Exception) -> None:
        """Each kind of storage has errors of its own; to whoever named an address they are one."""
        if self.is_address and not isinstance(problem, CalqueError | ValueError):
            said = (str(problem).splitlines() or [""])[0]
            raise CalqueError(
                f"cannot {what} {self.address}: {type(problem).__name__}: {said}",
                hint="is the address right, and has every machine what it takes to get there, such as credentials?",
            ) from problem

    @property
    def _opened(self) -> tuple[Any, str]:
        fsspec = require("fsspec", "cluster", "a cluster's work")
        if not self.is_address:
            return fsspec.filesystem("file"), self.address
        try:
            files, path = fsspec.core.url_to_fs(self.address)
        except ImportError as problem:
            raise UsageError(f"{self.address}: {problem}", hint="install that package on all machines") from problem
        except ValueError as problem:
            raise UsageError(f"{self.address}: {problem}", hint="an address is one that fsspec knows") from problem
        except Exception as problem:  # some ask whoever keeps it at once
            self._explain("reach", problem)
            raise
        return files, path

    def _beside(self, path: str) -> Place:
        """The place of another path that the same files know."""
        files, _ = self._opened
        if self.local is not None:
            return Place(path)
        _, inside, archive = self.address.partition("::")
        return Place(f"{files.unstrip_protocol(path)}{inside}{archive}")


@contextlib.contextmanager
def _folder(path: Path) -> Iterator[Path]:
    path.mkdir()
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)


def _flush(path: Path) -> None:
    with open(path, "rb") as file:
        os.fsync(file.fileno())
