"""From ids to a vector."""

from .average import AverageEncoder
from .random import random_embeddings

__all__ = ["AverageEncoder", "random_embeddings"]
