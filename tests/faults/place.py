"""Where one run happens, and what is left there: its outputs, its temporary files and its cache, each in a folder."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

Tree = dict[str, str]  # what a folder holds: a hash of each file, nothing for a folder


@dataclass(frozen=True)
class Place:
    folder: Path

    @property
    def out(self) -> Path:
        """Commands are run from here, so that what they write does not depend on where it is."""
        return self.folder / "out"

    @property
    def temporary(self) -> Path:
        return self.folder / "temporary"

    @property
    def cache(self) -> Path:
        return self.folder / "cache"

    def environment(self) -> dict[str, str]:
        own = {"TMPDIR": self.temporary, "HOME": self.cache, "XDG_CACHE_HOME": self.cache, "CALQUE_CACHE": self.cache}
        # A process that is killed while it writes a .pyc would leave half of it in the package's own folders.
        fixed = {"CALQUE_CONFIG": "", "CALQUE_MODEL": "", "PYTHONDONTWRITEBYTECODE": "1", "PYTHONFAULTHANDLER": "1"}
        return os.environ | {name: str(path) for name, path in own.items()} | fixed

    @contextmanager
    def made(self, before: Path | None = None) -> Iterator[None]:
        """The folders, empty but for a copy of what was there `before`; gone in the end."""
        for folder in (self.out, self.temporary, self.cache):
            folder.mkdir(parents=True)
        if before is not None:
            shutil.copytree(before, self.out, dirs_exist_ok=True)
        try:
            yield
        finally:
            for folder in (self.out, self.temporary, self.cache):
                shutil.rmtree(folder)


def tree(folder: Path) -> Tree:
    """
    >>> tree(Path("out"))
    {'index/': '', 'index/index.json': '5feceb66…'}
    """
    return {
        f"{path.relative_to(folder)}{'/' * path.is_dir()}": "" if path.is_dir() else hashed(path.read_bytes())
        for path in sorted(folder.rglob("*"))
    }


def hashed(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


class SmallDisk:
    """A file system of its own, in memory, that can be made as small as one likes; only root may mount one."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @staticmethod
    def is_possible(folder: Path) -> bool:
        try:
            with SmallDisk(folder).mounted():
                return True
        except (OSError, subprocess.CalledProcessError):
            return False

    @contextmanager
    def mounted(self) -> Iterator[None]:
        self.folder.mkdir(parents=True, exist_ok=True)
        _quietly("mount", "-t", "tmpfs", "-o", "size=1g", "calque-faults", str(self.folder))
        try:
            yield
        finally:
            _quietly("umount", str(self.folder))

    def leave(self, room: int) -> None:
        """So many bytes more than are in use."""
        state = os.statvfs(self.folder)
        used = (state.f_blocks - state.f_bfree) * state.f_frsize
        self._resize(max(used + room, state.f_frsize))

    def enlarge(self) -> None:
        self._resize(1 << 30)

    def _resize(self, size: int) -> None:
        _quietly("mount", "-o", f"remount,size={size}", str(self.folder))


def _quietly(*command: str) -> None:
    subprocess.run(command, check=True, capture_output=True)
