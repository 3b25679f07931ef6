"""The neighbours found so far, in a file that is replaced as a whole."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import ModelError
from ..neighbours.nearest import BothWays, Neighbours, nothing_yet
from ..safetensors import map_tensors, write_tensors

STATE = "neighbours.safetensors"


def save_state(path: Path, found: BothWays, about: Mapping[str, Any]) -> None:
    tensors: dict[str, npt.NDArray[Any]] = {}
    for name, neighbours in (("forward", found.forward), ("backward", found.backward)):
        tensors[f"{name}_index"] = neighbours.index.view(np.uint32)
        tensors[f"{name}_cosine"] = neighbours.cosine
    write_tensors(path, tensors, about)


def read_state(path: Path, sources: int, targets: int, k: int) -> tuple[BothWays, dict[str, Any]]:
    """What was saved, and what was said of it; without a file, neighbours that are yet to be found.

    Raises:
        ModelError: the file is damaged, or of other texts.
    """
    if not path.exists():
        return nothing_yet(sources, targets, k), {}
    file = map_tensors(path)
    forward, backward = (
        Neighbours(np.array(file.tensors[f"{name}_index"]).view(np.int32), np.array(file.tensors[f"{name}_cosine"]))
        for name in ("forward", "backward")
    )
    if forward.index.shape != (sources, k) or backward.index.shape != (targets, k):
        raise ModelError(f"{path} does not belong to these texts", hint="delete the folder to begin anew")
    return BothWays(forward, backward), file.about
