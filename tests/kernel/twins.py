"""What the kernel computes, slowly: a few lines of NumPy each, in double precision where order does not matter."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

Matrix = npt.NDArray[Any]
Sentences = Sequence[Sequence[int]]

NOTHING = np.float32(-2)  # below any cosine


def flat(sentences: Sentences, type: Any = np.uint16) -> tuple[npt.NDArray[Any], npt.NDArray[np.uint64]]:
    """Ids and offsets, as the kernel wants sentences."""
    ids = np.array([id for sentence in sentences for id in sentence], type)
    return ids, np.cumsum([0, *map(len, sentences)]).astype(np.uint64)


def means(embeddings: Matrix, sentences: Sentences) -> Matrix:
    zero = np.zeros(embeddings.shape[1])
    rows = [embeddings[list(ids)].mean(axis=0, dtype=np.float64) if len(ids) else zero for ids in sentences]
    return np.array(rows).reshape(len(sentences), embeddings.shape[1])


def quantise(vectors: Matrix) -> tuple[Matrix, Matrix]:
    """Multiples of max|x| / 63, halves away from zero; and the scale that makes products of them cosines."""
    vectors = vectors.astype(np.float32)
    largest = np.abs(vectors).max(axis=1, keepdims=True)
    scaled = vectors * np.divide(np.float32(63), largest, out=np.zeros_like(largest), where=largest > 0)
    values = np.trunc(scaled + np.where(scaled < 0, np.float32(-0.5), np.float32(0.5))).astype(np.int64)
    lengths = np.sqrt(np.sum(values**2, axis=1).astype(np.float32))
    return values, np.divide(np.float32(1), lengths, out=np.zeros_like(lengths), where=lengths > 0)


class Hardest(NamedTuple):
    row_index: npt.NDArray[np.int32]
    row_cosine: npt.NDArray[np.float32]
    column_index: npt.NDArray[np.int32]
    column_cosine: npt.NDArray[np.float32]


def hardest(source: Matrix, target: Matrix, excluded: npt.NDArray[np.bool_]) -> Hardest:
    """The nearest column of each row and the nearest row of each column; the first of equals."""
    rows, row_scale = quantise(source)
    columns, column_scale = quantise(target)
    cosines = (rows @ columns.T).astype(np.float32) * (column_scale[None, :] * row_scale[:, None])
    cosines[excluded] = NOTHING

    def best(axis: int) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.float32]]:
        found = cosines.max(axis=axis)
        return np.where(found > NOTHING, cosines.argmax(axis=axis), -1).astype(np.int32), found

    return Hardest(*best(1), *best(0))


class Quad(NamedTuple):
    """A pair and its negatives, None where there is none."""

    source: Sequence[int]
    target: Sequence[int]
    source_negative: Sequence[int] | None
    target_negative: Sequence[int] | None


def cosine(x: Matrix, y: Matrix) -> tuple[float, Matrix, Matrix]:
    """With its gradients."""
    lengths = np.linalg.norm(x) * np.linalg.norm(y)
    value = float(x @ y / lengths)
    return value, y / lengths - value * x / (x @ x), x / lengths - value * y / (y @ y)


def margin_loss(embeddings: Matrix, batch: Sequence[Quad], margin: float) -> tuple[float, Matrix]:
    """The mean over pairs of [δ − f(s,t) + f(s,t')]₊ + [δ − f(s,t) + f(t,s')]₊, with its gradient for every row."""
    loss, gradient = 0.0, np.zeros_like(embeddings)

    def pull(ids: Sequence[int], slope: Matrix) -> None:
        np.add.at(gradient, list(ids), slope / len(ids) / len(batch))

    for quad in batch:
        source, target = means(embeddings, [quad.source, quad.target])
        agreement, of_source, of_target = cosine(source, target)
        sides = ((quad.source, source, quad.source_negative), (quad.target, target, quad.target_negative))
        for ids, anchor, negative in sides:
            if negative is None:
                continue
            similarity, of_anchor, of_negative = cosine(anchor, means(embeddings, [negative])[0])
            if margin - agreement + similarity <= 0:
                continue
            loss += (margin - agreement + similarity) / len(batch)
            pull(quad.source, -of_source)
            pull(quad.target, -of_target)
            pull(ids, of_anchor)
            pull(negative, of_negative)
    return loss, gradient


class DenseAdam:
    """Every row at every step, touched or not; ε stands under the root, as in the kernel."""

    def __init__(self, embeddings: Matrix, betas: tuple[float, float] = (0.9, 0.999), epsilon: float = 1e-8) -> None:
        self.embeddings = embeddings.astype(np.float64)
        self.first, self.second = np.zeros_like(self.embeddings), np.zeros_like(self.embeddings)
        self.betas, self.epsilon, self.steps = betas, epsilon, 0

    def step(self, gradient: Matrix, rate: float) -> None:
        one, two = self.betas
        self.steps += 1
        self.first = one * self.first + (1 - one) * gradient
        self.second = two * self.second + (1 - two) * gradient**2
        spread = np.sqrt(self.second / (1 - two**self.steps) + self.epsilon**2)
        self.embeddings -= rate * (self.first / (1 - one**self.steps)) / spread
