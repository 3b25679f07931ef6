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
from ..saved import count

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
    forward = _neighbours(path, file.tensors, "forward", (sources, k), targets)
    backward = _neighbours(path, file.tensors, "backward", (targets, k), sources)
    if not isinstance(file.about, dict):
        raise _other_texts(path)
    return BothWays(forward, backward), file.about


def _neighbours(
    path: Path, tensors: Mapping[str, npt.NDArray[Any]], name: str, shape: tuple[int, int], others: int
) -> Neighbours:
    """`others`: sentences that may be a neighbour; −1 stands for none."""
    index, cosine = tensors.get(f"{name}_index"), tensors.get(f"{name}_cosine")
    if index is None or cosine is None or not index.shape == cosine.shape == shape:
        raise _other_texts(path)
    if index.dtype != np.uint32 or cosine.dtype != np.float32:
        raise _other_texts(path)
    found = Neighbours(np.array(index).view(np.int32), np.array(cosine))
    if not -1 <= found.index.min(initial=0) <= found.index.max(initial=0) < others:
        raise _other_texts(path)
    return found


def how_far(path: Path, about: dict[str, Any], name: str, most: int) -> int:
    """What was said of it by that name: how many of so many sentences have been looked through."""
    try:
        return count(about, name, 0, most) if name in about else 0
    except ValueError as problem:
        raise _other_texts(path) from problem


def _other_texts(path: Path) -> ModelError:
    return ModelError(f"{path} does not belong to these texts", hint="delete the folder to begin anew")
