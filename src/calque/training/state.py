"""The numbers that training changes."""

from __future__ import annotations

import contextlib
import mmap
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import _kernel
from .config import TrainingConfig

Matrix = npt.NDArray[np.float32]

_COLUMNS = 16  # the kernel works on tiles of so many

BETA_FIRST, BETA_SECOND, EPSILON = 0.9, 0.999, 1e-8  # Adam's own defaults


@dataclass
class State:
    """Rows and their moments, padded to whole tiles; `current` is the step each row's drift has been applied to."""

    embeddings: Matrix
    first_moments: Matrix
    second_moments: Matrix
    current: npt.NDArray[np.uint32]
    step_weights: npt.NDArray[np.float32]
    dimension: int

    @classmethod
    def start(cls, embeddings: Matrix) -> State:
        rows, dimension = embeddings.shape
        width = -(-dimension // _COLUMNS) * _COLUMNS
        state = cls(
            aligned_zeros(rows, width),
            aligned_zeros(rows, width),
            aligned_zeros(rows, width),
            np.zeros(rows, np.uint32),
            np.zeros(0, np.float32),
            dimension,
        )
        state.embeddings[:, :dimension] = embeddings
        return state

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, npt.NDArray[Any]]) -> State:
        state = cls.start(arrays["embeddings"])
        state.first_moments[:, : state.dimension] = arrays["first_moments"]
        state.second_moments[:, : state.dimension] = arrays["second_moments"]
        state.current[:] = arrays["current"]
        state.step_weights = np.array(arrays["step_weights"], np.float32)
        return state

    def trainer(self, config: TrainingConfig, monolingual: bool) -> _kernel.Trainer:
        return _kernel.Trainer(
            self.embeddings,
            self.first_moments,
            self.second_moments,
            self.current,
            self.step_weights,
            batch_size=config.batch_size,
            margin=config.margin,
            dropout=config.dropout,
            beta_first=BETA_FIRST,
            beta_second=BETA_SECOND,
            epsilon=EPSILON,
            monolingual=monolingual,
            exclude_same_text=config.exclude_repeats,
            seed=config.seed,
        )


def aligned_zeros(rows: int, columns: int) -> Matrix:
    """Zeros that begin on a cache line, which numpy does not promise, in huge pages where the system has them."""
    memory = mmap.mmap(-1, max(4 * rows * columns, 1))
    if hasattr(mmap, "MADV_HUGEPAGE"):
        with contextlib.suppress(OSError):  # a kernel without them
            memory.madvise(mmap.MADV_HUGEPAGE)
    return np.frombuffer(memory, np.float32, rows * columns).reshape(rows, columns)
