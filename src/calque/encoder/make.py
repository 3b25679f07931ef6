"""Encoders by their names."""

from __future__ import annotations

from ..vocabulary import Vocabulary
from . import blstm
from .average import AverageEncoder
from .protocol import Encoder, Parameters

ENCODERS = ("average", "blstm")


def make_encoder(name: str, vocabulary: Vocabulary, parameters: Parameters) -> Encoder:
    if name == "blstm":
        return blstm.BlstmEncoder(vocabulary, parameters)
    return AverageEncoder(vocabulary, parameters["embeddings"])


def parameter_shapes(name: str, rows: int, dimension: int) -> dict[str, tuple[int, ...]]:
    """All that an encoder's model file must hold."""
    return blstm.shapes(rows, dimension) if name == "blstm" else {"embeddings": (rows, dimension)}
