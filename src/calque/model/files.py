"""The files of model folders: their names, reading JSON, hashes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import xxhash

from ..checksums import checksum_of
from ..errors import ModelError
from ..regular import read_bytes, read_text

CONFIG, TENSORS = "config.json", "model.safetensors"
MODULES = "modules.json"  # what sentence-transformers looks for; model2vec writes one, too


def read_json(path: Path) -> Any:
    try:
        return json.loads(read_text(path))
    except (OSError, ValueError, RecursionError) as problem:
        raise ModelError(f"{path} cannot be read: {problem}") from problem


def file_hash(path: Path) -> str:
    try:
        return hash_of(read_bytes(path))
    except OSError as problem:
        raise ModelError(f"cannot read {path}: {problem.strerror}") from problem
    except ValueError as problem:
        raise ModelError(f"cannot read {str(path)!r}: {problem}") from problem


def hash_of(content: bytes) -> str:
    return checksum_of(xxhash.xxh3_128(content))
