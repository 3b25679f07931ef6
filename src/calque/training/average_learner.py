"""Learning rows alone: everything happens in the kernel, on arrays that lie here."""

from __future__ import annotations

import contextlib
import mmap
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import _kernel
from ..encoder.average import mean_vectors
from ..encoder.protocol import Parameters, Vectors
from ..vocabulary import Tokens
from .adam import BETA_FIRST, BETA_SECOND, EPSILON
from .config import TrainingConfig
from .corpus import Corpus, Sides
from .damping import damped
from .inverse_frequency import row_weights
from .learner import Arrays, Pairs, Rates

_COLUMNS = 16  # the kernel works on tiles of so many


def first_state(parameters: Parameters, frozen: npt.NDArray[np.bool_] | None = None) -> Arrays:
    """`frozen`, one truth a row, says which do not learn."""
    embeddings = parameters["embeddings"]
    return {
        "embeddings": embeddings,
        "first_moments": np.zeros_like(embeddings),
        "second_moments": np.zeros_like(embeddings),
        "current": np.zeros(len(embeddings), np.uint32),
        "step_weights": np.zeros(0, np.float32),
        "frozen": np.zeros(0, np.int8) if frozen is None else frozen.astype(np.int8),  # empty: all learn
    }


class AverageLearner:
    """Rows and their moments, padded to whole tiles; `current` is the step each row's drift has been applied to."""

    def __init__(self, config: TrainingConfig, corpus: Corpus, state: Arrays, monolingual: bool, threads: int) -> None:
        self.threads = threads
        for name in ("current", "step_weights", "frozen"):
            if state[name].ndim != 1:
                raise ValueError(f"expected `{name}` to be a row of numbers, got the shape {state[name].shape}")
        a = config.inverse_frequency if config.epochs else 0.0  # what has learnt nothing is not weighed
        self._row_weights = row_weights(corpus, len(state["embeddings"]), a)
        self._damping = config.damping if config.epochs else 0.0
        self.dimension: int = state["embeddings"].shape[1]
        self._padded = {name: _padded(state[name]) for name in ("embeddings", "first_moments", "second_moments")}
        self._current = np.array(state["current"], np.uint32)
        self._frozen = np.array(state["frozen"], np.int8)
        self._trainer = _kernel.Trainer(
            self._padded["embeddings"],
            self._padded["first_moments"],
            self._padded["second_moments"],
            self._current,
            np.array(state["step_weights"], np.float32),
            batch_size=config.batch_size,
            margin=config.margin,
            dropout=config.dropout,
            beta_first=BETA_FIRST,
            beta_second=BETA_SECOND,
            epsilon=EPSILON,
            monolingual=monolingual,
            exclude_same_text=config.exclude_repeats,
            seed=config.seed,
            frozen=self._frozen.view(np.uint8),
        )

    def use(self, sides: Sides) -> None:
        self._trainer.use(*_arrays(sides))

    def train(self, pairs: Pairs, rates: Rates) -> dict[str, float]:
        return self._trainer.train(pairs, rates, self.threads)

    def train_on(self, sides: Sides, rates: Rates) -> dict[str, float]:
        return self._trainer.train_on(*_arrays(sides), rates, self.threads)

    def vectors(self, tokens: Tokens) -> Vectors:
        return mean_vectors(self.parameters()["embeddings"], tokens, self.threads)

    def parameters(self) -> Parameters:
        out = aligned_zeros(*self._padded["embeddings"].shape)
        self._trainer.settle(out, self.threads)
        return {"embeddings": damped(out[:, : self.dimension], self._damping) * self._row_weights}

    def state(self) -> Arrays:
        arrays: Arrays = {name: array[:, : self.dimension] for name, array in self._padded.items()}
        return arrays | {
            "current": self._current,
            "step_weights": self._trainer.step_weights(),
            "frozen": self._frozen,
        }


def _arrays(sides: Sides) -> tuple[Any, Any, Any, Any]:
    source, target = sides
    return source.ids, source.offsets, target.ids, target.offsets


def _padded(array: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    rows, dimension = array.shape
    out = aligned_zeros(rows, -(-dimension // _COLUMNS) * _COLUMNS)
    out[:, :dimension] = array
    return out


def aligned_zeros(rows: int, columns: int) -> npt.NDArray[np.float32]:
    """Zeros that begin on a cache line, which numpy does not promise, in huge pages where the system has them."""
    memory = mmap.mmap(-1, max(4 * rows * columns, 1))
    if hasattr(mmap, "MADV_HUGEPAGE"):
        with contextlib.suppress(OSError):  # a kernel without them
            memory.madvise(mmap.MADV_HUGEPAGE)
    return np.frombuffer(memory, np.float32, rows * columns).reshape(rows, columns)
