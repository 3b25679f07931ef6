"""Where training starts: untrained averages measure lexical overlap, and are a baseline worth beating."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from . import blstm
from .protocol import Parameters


def random_embeddings(size: int, dimension: int, seed: int, unknown: int | None = None) -> npt.NDArray[np.float32]:
    """N(0, 1) rows, (size, dimension); the unknown row is zero."""
    embeddings = np.random.default_rng(seed).standard_normal((size, dimension), dtype=np.float32)
    if unknown is not None:
        embeddings[unknown] = 0
    return embeddings


def random_parameters(encoder: str, size: int, dimension: int, seed: int, unknown: int | None = None) -> Parameters:
    """Random rows; an LSTM's weights lie evenly between ±1/√half, as PyTorch has them."""
    parameters = {"embeddings": random_embeddings(size, dimension, seed, unknown)}
    if encoder == "blstm":
        draw, most = np.random.default_rng([seed, 1]), (dimension // 2) ** -0.5
        for name, shape in blstm.shapes(size, dimension).items():
            if name not in parameters:
                parameters[name] = draw.uniform(-most, most, shape).astype(np.float32)
    return parameters
