"""One number a pair: the higher, the likelier that its sides translate each other."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from ..corpus import Languages, Pair
from ..encoder import Vectors
from ..errors import UsageError
from ..model import Model
from .halves import halves_of
from .pool import Pool

WEIGHT = np.float32(0.75)  # of the strongest rival: chosen on Europarl, Tatoeba and LibreOffice, en-es

Scores = npt.NDArray[np.float32]


class Scored(NamedTuple):
    source: str
    target: str
    score: float


class Score(ABC):
    """A way to judge pairs; children have a name."""

    name: ClassVar[str]

    def __init__(self, model: Model, languages: Languages | None = None, threads: int | None = None) -> None:
        self.model = model
        self.languages: tuple[str | None, str | None] = languages or (None, None)
        self.threads = threads

    @abstractmethod
    def score(self, pairs: Sequence[tuple[str, str]]) -> Scores:
        """(len(pairs),); text without any known piece has cosine 0 with everything."""

    def vectors(self, texts: list[str], side: int) -> Vectors:
        """Of length 1, or zero."""
        return self.model.encode(texts, normalize=True, threads=self.threads, language=self.languages[side])


class Cosine(Score):
    """How alike two sides mean, and nothing else."""

    name = "cosine"

    def score(self, pairs: Sequence[tuple[str, str]]) -> Scores:
        source, target = (self.vectors([pair[side] for pair in pairs], side) for side in (0, 1))
        return cosines(source, target)


class Margin(Score):
    """The cosine less three quarters of its strongest rival's.

    Rivals are what either side has with the sentences nearest to it in a pool of others, and with either half of the
    pair's own other side: what is translated by halves is nearer to the half.
    """

    name = "margin"

    def __init__(
        self,
        model: Model,
        pool: Sequence[Pair],
        languages: Languages | None = None,
        threads: int | None = None,
    ) -> None:
        super().__init__(model, languages, threads)
        self.pool = Pool(pool, self.vectors, threads)

    def score(self, pairs: Sequence[tuple[str, str]]) -> Scores:
        texts = [[pair[side] for pair in pairs] for side in (0, 1)]
        source, target = (self.vectors(texts[side], side) for side in (0, 1))
        rival = self._halves(texts, (source, target))
        for nearness in self.pool.nearness(texts, (source, target)):
            np.maximum(rival, nearness, out=rival)
        return cosines(source, target) - WEIGHT * rival

    def _halves(self, texts: list[list[str]], vectors: tuple[Vectors, Vectors]) -> Scores:
        """The highest cosine that half of one side has with the whole other side."""
        best = np.zeros(len(texts[0]), np.float32)
        for side in (0, 1):
            for half in halves_of(texts[side]):
                np.maximum(best, cosines(self.vectors(half, side), vectors[1 - side]), out=best)
        return best


SCORES = (Margin.name, Cosine.name)


def score_named(
    name: str,
    model: Model,
    pool: Sequence[Pair],
    languages: Languages | None = None,
    threads: int | None = None,
) -> Score:
    """
    Raises:
        UsageError: no such score.
    """
    require_score(name)
    return Margin(model, pool, languages, threads) if name == Margin.name else Cosine(model, languages, threads)


def require_score(name: str) -> None:
    """
    Raises:
        UsageError: no such score.
    """
    if name not in SCORES:
        raise UsageError(f"no score {name!r}", hint=f"one of {', '.join(SCORES)}")


def cosines(one: Vectors, two: Vectors) -> Scores:
    """Of each row with the one at the same place."""
    found: Scores = np.einsum("ij,ij->i", one, two)
    return found
