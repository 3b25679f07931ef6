"""A subject whose vectors are chosen by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from calque.evaluation.subject import Subject


class Lookup:
    """Text in, the vector chosen for it out; it remembers what it was asked for, and in which language."""

    def __init__(self, vectors: Mapping[str, Sequence[float]]) -> None:
        self.vectors = vectors
        self.asked: list[tuple[str | None, list[str]]] = []

    def encode(self, texts: Sequence[str], *, threads: int | None, language: str | None) -> Any:
        self.asked.append((language, list(texts)))
        width = len(next(iter(self.vectors.values())))
        return np.array([self.vectors[text] for text in texts], np.float32).reshape(len(texts), width)

    @property
    def subject(self) -> Subject:
        return Subject("lookup", self.encode, lambda name, n: f"{name}|n:{n}|lookup")


def at_cosine(cosine: float) -> list[float]:
    """A vector of length 1 at this cosine from [1, 0]."""
    return [cosine, float(np.sqrt(1 - cosine**2))]
