"""The untrained encoder: averages of random vectors measure lexical overlap, and are a baseline worth beating."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt


def random_embeddings(size: int, dimension: int, seed: int, unknown: int | None = None) -> npt.NDArray[np.float32]:
    """N(0, 1) rows, (size, dimension); the unknown row is zero."""
    embeddings = np.random.default_rng(seed).standard_normal((size, dimension), dtype=np.float32)
    if unknown is not None:
        embeddings[unknown] = 0
    return embeddings
