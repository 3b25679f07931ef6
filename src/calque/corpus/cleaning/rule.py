"""A cleaning rule scores the pairs of a batch, and then says which scores it accepts: score once, decide many times."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from .measures import Batch, Flags, Scores


@dataclass(frozen=True)
class Rule(ABC):
    """Children have a name; those that are `adjustable` have a limit that the user may set."""

    limit: float = 0.0

    name: ClassVar[str]
    summary: ClassVar[str]
    adjustable: ClassVar[bool] = False
    needs_languages: ClassVar[bool] = False

    @abstractmethod
    def score(self, batch: Batch) -> Scores:
        """One number a pair; the larger, the worse."""

    def accept(self, scores: Scores) -> Flags:
        return scores <= self.limit

    def missing(self) -> str | None:
        """Why this rule cannot work here, if it cannot: a package that is not installed."""
        return None


def larger(one: Scores, two: Scores) -> Scores:
    return np.maximum(one, two)


def as_scores(values: npt.NDArray[Any]) -> Scores:
    return values.astype(np.float64)
