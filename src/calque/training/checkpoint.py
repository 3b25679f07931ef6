"""The whole state of a run in one file, replaced as a whole."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import CalqueError
from ..safetensors import map_tensors, write_tensors
from .mega_batches import Place
from .state import State

Matrix = npt.NDArray[np.float32]

NAME = "checkpoint.safetensors"


@dataclass
class Best:
    """The epoch that did best on the development set so far."""

    epoch: int
    pearson: float
    embeddings: Matrix


@dataclass
class Checkpoint:
    place: Place
    state: State
    digest: str  # of the corpus: a run must go on with what it began with
    seconds: float = 0.0  # spent so far
    best: Best | None = None

    def write(self, folder: Path) -> None:
        state, columns = self.state, slice(0, self.state.dimension)
        arrays: dict[str, npt.NDArray[Any]] = {
            "embeddings": state.embeddings[:, columns],
            "first_moments": state.first_moments[:, columns],
            "second_moments": state.second_moments[:, columns],
            "current": state.current,
            "step_weights": state.step_weights,
        }
        about: dict[str, Any] = {"place": self.place.as_dict(), "digest": self.digest, "seconds": self.seconds}
        if self.best is not None:
            arrays["best"] = self.best.embeddings
            about["best"] = {"epoch": self.best.epoch, "pearson": self.best.pearson}
        write_tensors(folder / NAME, arrays, about)

    @classmethod
    def read(cls, folder: Path) -> Checkpoint | None:
        """The last one written, if any."""
        if not (folder / NAME).exists():
            return None
        file = map_tensors(folder / NAME)
        try:
            about = file.about
            best = about.get("best")
            return cls(
                Place.from_dict(about["place"]),
                State.from_arrays(file.tensors),
                about["digest"],
                about["seconds"],
                Best(best["epoch"], best["pearson"], np.array(file.tensors["best"])) if best else None,
            )
        except (KeyError, TypeError, ValueError) as problem:
            raise CalqueError(f"{folder / NAME} is not a checkpoint of this version: {problem!r}") from problem
