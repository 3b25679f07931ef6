"""Digests of files: those asked for, those that are published, those that servers tell."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ...errors import CorpusError, UsageError

_LENGTHS = {"sha256": 64, "md5": 32}
_BLOCK = 1 << 20


@dataclass(frozen=True)
class Checksum:
    algorithm: str
    digest: str

    def __str__(self) -> str:
        return f"{self.algorithm}:{self.digest}"


@dataclass(frozen=True)
class Digests:
    """Both digests of a file, from one pass over it."""

    size: int
    sha256: str
    md5: str

    def check(self, name: str, wanted: Checksum, source: str) -> None:
        found = self.sha256 if wanted.algorithm == "sha256" else self.md5
        if found != wanted.digest:
            raise CorpusError(
                f"{name}: expected {wanted} ({source}), got {found}",
                hint="the file was damaged on its way or has changed at its source; it was not kept",
            )


def parse_checksum(text: str) -> Checksum:
    algorithm, _, digest = text.partition(":")
    digest = digest.strip().lower()
    if len(digest) != _LENGTHS.get(algorithm) or not re.fullmatch("[0-9a-f]+", digest):
        raise UsageError(
            f"--checksum: expected sha256:… with 64 or md5:… with 32 hexadecimal digits, got {text!r}",
            hint="sha256sum FILE and md5sum FILE print the digits",
        )
    return Checksum(algorithm, digest)


def digests(path: Path, report: Callable[[int], None] | None = None) -> Digests:
    sha256, md5, size = hashlib.sha256(), hashlib.md5(usedforsecurity=False), 0
    with open(path, "rb") as file:
        while block := file.read(_BLOCK):
            sha256.update(block)
            md5.update(block)
            size += len(block)
            if report:
                report(size)
    return Digests(size, sha256.hexdigest(), md5.hexdigest())


def md5_in_etag(etag: str | None) -> Checksum | None:
    """Object stores such as OPUS's give a file's MD5 as its ETag, unless it was uploaded in several parts (`…-12`)."""
    found = re.fullmatch('"([0-9a-f]{32})"', etag or "")
    return Checksum("md5", found[1]) if found else None
