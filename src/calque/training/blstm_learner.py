"""Learning rows and an LSTM over them, with PyTorch."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import numpy.typing as npt

from ..encoder.blstm import blstm_vectors
from ..encoder.protocol import Parameters, Vectors
from ..encoder.pytorch import Crew, torch_crew, torch_module
from ..vocabulary import Tokens
from .adam import RowAdam, adam_step
from .blstm_batch import MiniBatch, scrambled, slopes
from .config import TrainingConfig
from .corpus import Sides
from .learner import Arrays, Pairs, Rates
from .negatives import Numbers, hardest_negatives

_FIRST, _SECOND = "first_moments.", "second_moments."


def first_state(parameters: Parameters) -> Arrays:
    moments = {mark + name: np.zeros_like(array) for name, array in parameters.items() for mark in (_FIRST, _SECOND)}
    rows = len(parameters["embeddings"])
    return parameters | moments | {"current": np.zeros(rows, np.uint32), "step_weights": np.zeros(0, np.float32)}


class BlstmLearner:
    """Each sentence of a mini-batch is encoded once, even if it is the negative of several.

    What is left out and scrambled is drawn from the seed and the step's number, so that a run can go on from anywhere.
    """

    def __init__(self, config: TrainingConfig, state: Arrays, monolingual: bool, threads: int) -> None:
        torch = torch_module()
        self.config, self.monolingual, self.threads = config, monolingual, threads
        self._tensors = {name: torch.tensor(array) for name, array in state.items() if array.ndim > 1}
        values, first, second = (self._tensors[mark + "embeddings"] for mark in ("", _FIRST, _SECOND))
        self._rows = RowAdam(values, first, second, np.array(state["current"]), np.array(state["step_weights"]))
        self._weights = {name: tensor for name, tensor in self._tensors.items() if name.startswith("lstm.")}

    def use(self, sides: Sides) -> None:
        self._sides = sides

    def train(self, pairs: Pairs, rates: Rates) -> dict[str, float]:
        return self.train_on(self._sides.take(pairs), rates)

    def train_on(self, sides: Sides, rates: Rates) -> dict[str, float]:
        clock = _Clock()
        with torch_crew(self.threads) as crew:
            pairs = np.arange(len(sides.source))
            sentences = Tokens.concatenate(sides, len(self._rows.values))
            self._rows.catch_up(np.unique(sentences.ids).astype(np.int64))
            vectors = blstm_vectors(self._arrays(self._rows.values), sentences, crew)
            clock.lap("encode")
            if not np.isfinite(vectors).all():
                return {"loss": float("nan")}
            negatives = self._negatives(vectors, sentences)
            clock.lap("negatives")
            loss, size = 0.0, self.config.batch_size
            for number, rate in enumerate(rates):
                quads = _quads(pairs[number * size : (number + 1) * size], negatives)
                loss += quads.shape[1] * self._step(sentences, quads, float(rate), crew)
            clock.lap("steps")
        return {"loss": loss / len(pairs), **clock.laps}

    def vectors(self, tokens: Tokens) -> Vectors:
        with torch_crew(self.threads) as crew:
            return blstm_vectors(self._arrays(self._rows.settled()), tokens, crew)

    def parameters(self) -> Parameters:
        return {name: np.array(array) for name, array in self._arrays(self._rows.settled()).items()}

    def state(self) -> Arrays:
        arrays = {name: tensor.numpy() for name, tensor in self._tensors.items()}
        return arrays | {"current": self._rows.current, "step_weights": self._rows.weights}

    def _arrays(self, embeddings: Any) -> Parameters:
        return {"embeddings": embeddings.numpy()} | {name: each.numpy() for name, each in self._weights.items()}

    def _negatives(self, vectors: Vectors, sentences: Tokens) -> Numbers:
        return hardest_negatives(
            vectors,
            sentences,
            monolingual=self.monolingual,
            exclude_repeats=self.config.exclude_repeats,
            threads=self.threads,
        )

    def _step(self, sentences: Tokens, quads: npt.NDArray[np.int64], rate: float, crew: Crew) -> float:
        """One mini-batch; its mean loss a pair."""
        step = len(self._rows.weights) + 1
        distinct = np.unique(quads[quads >= 0])
        tokens = scrambled(sentences.take(distinct), self.config.scrambling, self._draw(step))
        rows, ids = np.unique(tokens.ids, return_inverse=True)
        rows = rows.astype(np.int64)
        self._rows.catch_up(rows)
        found = slopes(
            MiniBatch(
                table=self._rows.values[rows],
                weights=self._weights,
                sentences=Tokens(ids, tokens.offsets),
                quads=np.where(quads < 0, -1, np.searchsorted(distinct, quads)),
                dropout=self.config.dropout,
                margin=self.config.margin,
                draws=lambda number: self._draw(step, number),
            ),
            crew,
        )
        self._rows.step(rows, found.table, rate)
        for name, slope in found.weights.items():
            adam_step(
                self._weights[name], self._tensors[_FIRST + name], self._tensors[_SECOND + name], slope, rate, step
            )
        return found.loss

    def _draw(self, *place: int) -> np.random.Generator:
        return np.random.default_rng([self.config.seed, *place])


def _quads(pairs: npt.NDArray[np.int64], negatives: Numbers) -> npt.NDArray[np.int64]:
    """(4, pairs) of sentences: source, target, the source's negative, the target's negative."""
    targets = pairs + len(negatives) // 2
    return np.stack([pairs, targets, negatives[pairs], negatives[targets]]).astype(np.int64)


class _Clock:
    def __init__(self) -> None:
        self.laps: dict[str, float] = {}
        self._last = time.monotonic()

    def lap(self, name: str) -> None:
        now = time.monotonic()
        self.laps[name], self._last = now - self._last, now
