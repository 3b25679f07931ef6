"""Rows as other libraries keep them: in half precision, several pieces that share one, a weight for each piece."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from ..vocabulary import Tokens
from .protocol import Vectors
from .rows import FLOAT_BITS, Table, table_in_use


class WeightedRows:
    """Row r is weights[r] · stored[places[r]], worked out where it is needed, so that what is stored stays mapped."""

    bits = FLOAT_BITS  # as a model file holds them: what is stored here is another library's

    def __init__(self, stored: npt.NDArray[Any], places: npt.NDArray[np.intp], weights: Vectors) -> None:
        self.stored = stored  # (some, dimension) float16, float32 or float64
        self.places = places  # (size,)
        self.weights = weights  # (size,)
        self.dimension: int = stored.shape[1]

    @property
    def tensors(self) -> dict[str, npt.NDArray[Any]]:
        return {"embeddings": self.floats}

    @property
    def nbytes(self) -> int:
        return self.stored.nbytes + self.places.nbytes + self.weights.nbytes

    @cached_property
    def floats(self) -> Vectors:
        return self.take(np.arange(len(self.places)))

    def take(self, ids: npt.NDArray[Any]) -> Vectors:
        taken: Vectors = self.stored[self.places[ids]].astype(np.float32)
        taken *= self.weights[ids, None]
        return taken

    def table(self, tokens: Tokens) -> Table:
        return table_in_use(self, len(self.places), tokens)

    def __reduce__(self) -> tuple[Any, ...]:
        """Copies: what is mapped from a file is not mapped where a pickle is opened."""
        return WeightedRows, (np.array(self.stored), self.places, self.weights)
