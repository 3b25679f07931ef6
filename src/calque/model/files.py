"""The files of model folders: their names, reading JSON, hashes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import xxhash

from ..checksums import checksum_of
from ..errors import ModelError

CONFIG, TENSORS = "config.json", "model.safetensors"
MODULES = "modules.json"  # what sentence-transformers looks for; model2vec writes one, too


def read_json(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as problem:
        raise ModelError(f"{path} cannot be read: {problem}") from problem


def file_hash(path: Path) -> str:
    try:
        return hash_of(path.read_bytes())
    except OSError as problem:
        raise ModelError(f"cannot read {path}: {problem.strerror}") from problem
    except ValueError as problem:
        raise ModelError(f"cannot read {str(path)!r}: {problem}") from problem


def hash_of(content: bytes) -> str:
    return checksum_of(xxhash.xxh3_128(content))
