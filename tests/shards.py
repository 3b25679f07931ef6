"""Corpora cut into shards, and the parts of an output put together."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path


def cut(lines: Sequence[str], folder: Path, ending: str, parts: int = 4) -> Path:
    """Shards of different sizes, and one that other programs would take for their own."""
    folder.mkdir(parents=True)
    places = [len(lines) * part * part // (parts * parts) for part in range(parts + 1)]
    for number, (begin, end) in enumerate(pairwise(places)):
        text = "".join(f"{line}\n" for line in lines[begin:end])
        (folder / f"shard-{number}{ending}").write_text(text, encoding="utf-8")
    (folder / "_SUCCESS").write_bytes(b"")
    return folder


def joined(folder: Path) -> bytes:
    return b"".join(part.read_bytes() for part in sorted(folder.glob("part-*")))
