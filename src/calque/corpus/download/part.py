"""What has come of a file so far, and what is needed to go on with it later."""

from __future__ import annotations

import contextlib
import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO

from ...atomic import write_text
from ...saved import load


@dataclass(frozen=True)
class Version:
    """Which bytes a server was sending, in its own words, so that it can be asked for more of the same."""

    address: str
    etag: str | None = None
    modified: str | None = None
    total: int | None = None
    resumable: bool = True

    @property
    def validator(self) -> str | None:
        """For If-Range; a weak ETag names no bytes."""
        if not self.resumable:
            return None
        return self.etag if self.etag and not self.etag.startswith("W/") else self.modified


@dataclass(frozen=True)
class Held:
    size: int
    version: Version


class Part:
    """`NAME.part`, with its version in `NAME.part.json`."""

    def __init__(self, target: Path) -> None:
        self.path = target.with_name(target.name + ".part")
        self._about = target.with_name(target.name + ".part.json")

    @property
    def size(self) -> int:
        try:
            return self.path.stat().st_size
        except OSError:
            return 0

    def held(self, address: str) -> Held | None:
        """What can be gone on with from this address."""
        try:
            version = Version(**load(self._about.read_text(encoding="utf-8")))
            usable = version.address == address and version.validator and self.size
        except (OSError, ValueError, TypeError, AttributeError):  # not what is written here
            return None
        return Held(self.size, version) if usable else None

    def begin(self, version: Version) -> IO[bytes]:
        """From the start; what was there belongs to another version and is emptied before the new one is noted."""
        file = open(self.path, "wb", buffering=0)  # noqa: SIM115 (the caller closes it)
        try:
            write_text(self._about, json.dumps(asdict(version)))
        except BaseException:
            file.close()
            raise
        return file

    def go_on(self) -> IO[bytes]:
        return open(self.path, "ab", buffering=0)

    def discard(self) -> None:
        for path in (self.path, self._about):
            with contextlib.suppress(FileNotFoundError):
                path.unlink()

    def become(self, target: Path) -> None:
        self.path.replace(target)
        self._about.unlink(missing_ok=True)
