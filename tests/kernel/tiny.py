"""Training problems small enough to follow by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from twins import Sentences, flat

from calque import _kernel


class Tiny:
    """A bitext of row numbers, the state that training changes, and the trainer that changes it."""

    def __init__(
        self,
        embeddings: npt.NDArray[np.float32],
        source: Sentences,
        target: Sentences,
        *,
        batch_size: int = 8,
        id_type: Any = np.uint16,
        **settings: Any,
    ) -> None:
        self.embeddings = embeddings.copy()
        self.first, self.second = np.zeros_like(embeddings), np.zeros_like(embeddings)
        self.current = np.zeros(len(embeddings), np.uint32)
        self.batch_size = batch_size
        defaults = {
            "margin": 0.4,
            "dropout": 0.0,
            "beta_first": 0.9,
            "beta_second": 0.999,
            "epsilon": 1e-8,
            "monolingual": False,
            "exclude_same_text": False,
            "seed": 1,
            "frozen": np.zeros(0, np.uint8),
        }
        self.trainer = _kernel.Trainer(
            self.embeddings,
            self.first,
            self.second,
            self.current,
            np.zeros(0, np.float32),
            batch_size=batch_size,
            **(defaults | settings),
        )
        self.trainer.use(*flat(source, id_type), *flat(target, id_type))

    def train(self, pairs: Any, rate: Any = 0.01, threads: int = 1) -> float:
        """One mega-batch; returns its loss."""
        rates = np.broadcast_to(np.float32(rate), -(-len(pairs) // self.batch_size)).copy()
        return self.trainer.train(np.array(pairs, np.uint32), rates, threads)["loss"]

    def settled(self, threads: int = 1) -> npt.NDArray[np.float32]:
        out = np.full_like(self.embeddings, np.nan)
        self.trainer.settle(out, threads)
        return out


def random_rows(rows: int, dimension: int = 16, seed: int = 1) -> npt.NDArray[np.float32]:
    return np.random.default_rng(seed).standard_normal((rows, dimension), dtype=np.float32)


def random_sentences(count: int, rows: int, seed: int, longest: int = 6) -> list[list[int]]:
    draw = np.random.default_rng(seed)
    return [draw.integers(0, rows, draw.integers(1, longest + 1)).tolist() for _ in range(count)]
