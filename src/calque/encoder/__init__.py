"""From ids to a vector."""

from .average import AverageEncoder
from .blstm import BlstmEncoder
from .make import ENCODERS, make_encoder, tensor_layouts
from .protocol import Encoder, Parameters, Vector, Vectors
from .random import random_embeddings, random_parameters
from .rows import CODE_BITS, FLOAT_BITS, WIDEST, CodedRows, Rows
from .weighted import WeightedRows

__all__ = [
    "CODE_BITS",
    "ENCODERS",
    "FLOAT_BITS",
    "WIDEST",
    "AverageEncoder",
    "BlstmEncoder",
    "CodedRows",
    "Encoder",
    "Parameters",
    "Rows",
    "Vector",
    "Vectors",
    "WeightedRows",
    "make_encoder",
    "random_embeddings",
    "random_parameters",
    "tensor_layouts",
]
