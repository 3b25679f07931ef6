"""Checksums as files name them: xxh3:, and 128 bits."""

from __future__ import annotations

from pathlib import Path

import xxhash

from .regular import open_regular

_BLOCK = 1 << 24


def checksum_of(state: xxhash.xxh3_128) -> str:
    """Of all that a state has been updated with."""
    return f"xxh3:{state.hexdigest()}"


def file_checksum(path: Path) -> str:
    """Of a file of any size: it is read in pieces."""
    state = xxhash.xxh3_128()
    with open_regular(path) as file:
        while block := file.read(_BLOCK):
            state.update(block)
    return checksum_of(state)
