"""What a BLSTM computes, slowly: a few lines of NumPy in double precision, a sentence and a token at a time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np


def sigmoid(x: Any) -> Any:
    return 1 / (1 + np.exp(-x))


def lstm_mean(inputs: Any, input_weights: Any, recurrent_weights: Any, biases: Any) -> Any:
    """The mean of one direction's hidden states over one sentence's inputs, (tokens, dimension)."""
    hidden = cell = np.zeros(len(recurrent_weights))
    total = np.zeros_like(hidden)
    for token in inputs:
        gates = token @ input_weights + hidden @ recurrent_weights + biases[0]
        enter, forget, leave, candidate = np.split(gates, 4)
        cell = sigmoid(forget) * cell + sigmoid(enter) * np.tanh(candidate)
        hidden = sigmoid(leave) * np.tanh(cell)
        total = total + hidden
    return total / len(inputs)


def blstm_vector(parameters: dict[str, Any], ids: Sequence[int]) -> Any:
    """Zero for a sentence of nothing."""
    if not len(ids):
        return np.zeros(parameters["embeddings"].shape[1])
    inputs = parameters["embeddings"].astype(np.float64)[list(ids)]
    weights = [parameters[f"lstm.{name}"] for name in ("input_weights", "recurrent_weights", "biases")]
    ways = (inputs, inputs[::-1])
    return np.concatenate([lstm_mean(way, *(each[side] for each in weights)) for side, way in enumerate(ways)])


def blstm_loss(parameters: dict[str, Any], sentences: Sequence[Sequence[int]], quads: Any, margin: float) -> float:
    """The mean over pairs of [δ − f(s,t) + f(s,t')]₊ + [δ − f(s,t) + f(t,s')]₊; −1: no negative."""
    vectors = [blstm_vector(parameters, ids) for ids in sentences]
    units = [vector / np.linalg.norm(vector) for vector in vectors]
    loss = 0.0
    for source, target, source_negative, target_negative in np.transpose(quads):
        agreement = units[source] @ units[target]
        for anchor, negative in ((source, source_negative), (target, target_negative)):
            if negative >= 0:
                loss += max(0.0, margin - agreement + units[anchor] @ units[negative])
    return loss / np.shape(quads)[1]
