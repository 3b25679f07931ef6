"""The whole state of a run in one file, replaced as a whole."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..encoder.protocol import Parameters
from ..errors import CalqueError, ModelError
from ..safetensors import TensorFile, map_tensors, write_tensors
from .learner import Arrays
from .mega_batches import Place

NAME = "checkpoint.safetensors"
_BEST = "best."  # before the names of the best epoch's arrays


@dataclass
class Best:
    """The epoch that did best on the development set so far."""

    epoch: int
    score: float
    parameters: Parameters


@dataclass
class Checkpoint:
    place: Place
    state: Arrays  # the learner's own
    digest: str  # of the corpus: a run must go on with what it began with
    seconds: float = 0.0  # spent so far
    best: Best | None = None

    def write(self, folder: Path) -> None:
        arrays = dict(self.state)
        about: dict[str, Any] = {"place": self.place.as_dict(), "digest": self.digest, "seconds": self.seconds}
        if self.best is not None:
            arrays |= {_BEST + name: array for name, array in self.best.parameters.items()}
            about["best"] = {"epoch": self.best.epoch, "score": self.best.score}
        write_tensors(folder / NAME, arrays, about)

    @classmethod
    def read(cls, folder: Path) -> Checkpoint | None:
        """The last one written, if any.

        Raises:
            CalqueError: it is damaged, or another version's.
        """
        if not (folder / NAME).exists():
            return None
        file = _mapped(folder)
        try:
            about = file.about
            state = {name: array for name, array in file.tensors.items() if not name.startswith(_BEST)}
            best = about.get("best")
            if best:
                kept = {name: np.array(array) for name, array in file.tensors.items() if name.startswith(_BEST)}
                parameters = {name.removeprefix(_BEST): array for name, array in kept.items()}
                best = Best(best["epoch"], best["score"], parameters) if parameters else None
            return cls(Place.from_dict(about["place"]), state, about["digest"], about["seconds"], best)
        except (KeyError, TypeError, ValueError) as problem:
            raise CalqueError(
                f"{folder / NAME} is not a checkpoint of this version: {problem!r}",
                hint="go on with the version that began the training, or train anew into another folder",
            ) from problem


def _mapped(folder: Path) -> TensorFile:
    try:
        return map_tensors(folder / NAME)
    except ModelError as problem:
        way = f"calque train --resume {folder}"
        hint = f"delete it and go on, which begins again with the first epoch: {way}"
        if isinstance(problem.__cause__, OSError):
            hint = f"once it can be read: {way}"
        raise CalqueError(problem.message, hint) from problem
