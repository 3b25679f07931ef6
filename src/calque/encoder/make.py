"""Encoders by their names, and what their model files hold."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy.typing as npt

from ..vocabulary import Vocabulary
from . import blstm
from .average import AverageEncoder
from .protocol import Encoder
from .rows import FLOAT_BITS, CodedRows, code_bytes, shape_of_levels

ENCODERS = ("average", "blstm")


class Layout(NamedTuple):
    """What a tensor must be like."""

    type: str
    shape: tuple[int, ...]


def make_encoder(
    name: str,
    vocabulary: Vocabulary,
    dimension: int,
    tensors: Mapping[str, npt.NDArray[Any]],
    normalizes: bool = False,
) -> Encoder:
    """From tensors that `tensor_layouts` describes, at any number of bits; a BLSTM never normalizes."""
    if name == "blstm":
        return blstm.BlstmEncoder(vocabulary, dict(tensors))
    if "codes" in tensors:
        rows = CodedRows(tensors["codes"], tensors["levels"], tensors["scales"], dimension)
        return AverageEncoder(vocabulary, rows, normalizes)
    return AverageEncoder(vocabulary, tensors["embeddings"], normalizes)


def tensor_layouts(name: str, rows: int, dimension: int, bits: int = FLOAT_BITS) -> dict[str, Layout]:
    """All that an encoder's model file must hold."""
    if bits == FLOAT_BITS:
        shapes = blstm.shapes(rows, dimension) if name == "blstm" else {"embeddings": (rows, dimension)}
        return {tensor: Layout("float32", shape) for tensor, shape in shapes.items()}
    return {
        "codes": Layout("uint8", (rows, code_bytes(dimension, bits))),
        "levels": Layout("float32", shape_of_levels(bits)),
        "scales": Layout("float32", (rows,)),
    }
