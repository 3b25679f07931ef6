"""A safetensors file as other libraries write it: without what tells that it is Calque's."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from calque.safetensors import write_tensors


def write_bare(path: Path, tensors: dict[str, Any]) -> None:
    write_tensors(path, tensors, {})
    content = path.read_bytes()
    length = int.from_bytes(content[:8], "little")
    header = json.loads(content[8 : 8 + length])
    del header["__metadata__"]
    encoded = json.dumps(header).encode()
    encoded += b" " * (-(len(encoded) + 8) % 64)
    path.write_bytes(len(encoded).to_bytes(8, "little") + encoded + content[8 + length :])
