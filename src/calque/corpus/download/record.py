"""`NAME.json` beside a fetched file: where it came from, and what it was like."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timezone
from pathlib import Path

from ...atomic import write_text
from ...errors import CorpusError
from ...saved import load
from .checksums import Checksum, digests


@dataclass(frozen=True)
class Record:
    url: str  # the official address
    address: str  # where it was really fetched from
    size: int
    sha256: str
    etag: str | None
    date: str

    def holds_for(self, path: Path, url: str, checksums: Sequence[Checksum], verify: bool) -> bool:
        """Whether the file is still what was fetched, by its size alone unless something asks for its digest."""
        if self.url != url or not path.is_file() or path.stat().st_size != self.size:
            return False
        by_record = {str(Checksum("sha256", self.sha256))}
        if not verify and all(str(checksum) in by_record for checksum in checksums):
            return True
        found = digests(path)
        now = {f"sha256:{found.sha256}", f"md5:{found.md5}"}
        return found.sha256 == self.sha256 and all(str(checksum) in now for checksum in checksums)


def record_path(path: Path) -> Path:
    return path.with_name(path.name + ".json")


def read_record(path: Path) -> Record | None:
    try:
        return Record(**load(record_path(path).read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None


def write_record(path: Path, record: Record) -> None:
    write_text(record_path(path), json.dumps(asdict(record), indent=2) + "\n")


def of_unknown_origin(path: Path) -> CorpusError:
    """What has no record is somebody else's, and is not replaced."""
    return CorpusError(
        f"{path} is there already, and nothing says where it came from",
        hint="move it away, or choose another folder with -o DIR",
    )


def today() -> str:
    return datetime.now(timezone.utc).isoformat(timespec="seconds")
