"""From ids to a vector."""

from .average import AverageEncoder
from .blstm import BlstmEncoder
from .make import ENCODERS, make_encoder, parameter_shapes
from .protocol import Encoder, Parameters, Vectors
from .random import random_embeddings, random_parameters

__all__ = [
    "ENCODERS",
    "AverageEncoder",
    "BlstmEncoder",
    "Encoder",
    "Parameters",
    "Vectors",
    "make_encoder",
    "parameter_shapes",
    "random_embeddings",
    "random_parameters",
]
