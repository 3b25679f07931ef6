"""What the loop asks of whatever learns, be it rows alone or a network."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from ..encoder.protocol import Parameters, Vectors
from ..errors import CalqueError
from ..vocabulary import Tokens
from .config import TrainingConfig
from .corpus import Corpus, Sides

Arrays = dict[str, npt.NDArray[Any]]
Pairs = npt.NDArray[np.uint32]
Rates = npt.NDArray[np.float32]


class Learner(Protocol):
    def use(self, sides: Sides) -> None:
        """What the numbers of pairs mean from here on."""

    def train(self, pairs: Pairs, rates: Rates) -> dict[str, float]:
        """Learn from one mega-batch, with a rate for each mini-batch.

        Returns `loss`, the mean a pair, and the seconds that each part took.
        """

    def train_on(self, sides: Sides, rates: Rates) -> dict[str, float]:
        """Learn from a mega-batch of pairs that are not those in use."""

    def vectors(self, tokens: Tokens) -> Vectors:
        """What the model would give now."""

    def parameters(self) -> Parameters:
        """A copy of what a model of now would keep."""

    def state(self) -> Arrays:
        """All that must be known to go on from here; not a copy."""


def first_state(encoder: str, parameters: Parameters, frozen: npt.NDArray[np.bool_] | None = None) -> Arrays:
    """The state of a learner that has learnt nothing yet; some rows of an average, one truth a row, may be frozen."""
    if encoder == "blstm":
        from . import blstm_learner

        return blstm_learner.first_state(parameters)
    from . import average_learner

    return average_learner.first_state(parameters, frozen)


def make_learner(config: TrainingConfig, corpus: Corpus, state: Arrays, threads: int) -> Learner:
    """A learner that goes on from a state.

    Raises:
        CalqueError: the state is not one of this encoder.
    """
    monolingual = corpus.monolingual if config.negatives == "auto" else config.negatives == "monolingual"
    try:
        if config.encoder == "blstm":
            from .blstm_learner import BlstmLearner

            return BlstmLearner(config, state, monolingual, threads)
        from .average_learner import AverageLearner

        return AverageLearner(config, corpus, state, monolingual, threads)
    except (KeyError, ValueError) as problem:
        raise CalqueError(
            f"the state is not one that training can go on from: {problem!r}",
            hint="train anew into another folder",
        ) from problem
