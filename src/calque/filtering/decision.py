"""Which scores to keep: above a threshold that is given or estimated, or the best so many."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from ..errors import CorpusError, UsageError
from .calibration import FEWEST, Estimate
from .scores import Scores
from .selection import nth_highest

AUTO: Literal["auto"] = "auto"

Threshold = float | Literal["auto"]


class Keep(NamedTuple):
    """The best pairs: a share of 1, or a number."""

    share: float | None = None
    pairs: int | None = None

    @classmethod
    def parse(cls, text: str | int) -> Keep:
        """
        >>> Keep.parse("80%"), Keep.parse("100000")
        (Keep(share=0.8, pairs=None), Keep(share=None, pairs=100000))
        """
        told = str(text).strip()
        if re.fullmatch(r"\d+(\.\d+)?%", told) and 0 < float(told[:-1]) <= 100:
            return cls(share=float(told[:-1]) / 100)
        if told.isdecimal() and int(told) > 0:
            return cls(pairs=int(told))
        raise UsageError(
            f"keep: expected a share above 0% up to 100%, or a number of pairs from 1, got {told!r}",
            hint="like --keep 80% or --keep 100000",
        )

    def of(self, scored: int) -> int:
        """How many of some pairs that is."""
        return min(scored, self.pairs) if self.pairs is not None else round(scored * (self.share or 0))


@dataclass
class Decision:
    """Scores above the threshold are kept; of those that equal it, the first `ties` (all, if that is None)."""

    threshold: float
    ties: int | None = None

    def accept(self, scores: Scores) -> npt.NDArray[np.bool_]:
        """To be asked in the order of the input: ties are used up."""
        kept: npt.NDArray[np.bool_] = scores >= self.threshold
        if self.ties is not None:
            tied = np.flatnonzero(scores == self.threshold)
            kept[tied[self.ties :]] = False
            self.ties -= min(self.ties, len(tied))
        return kept


def decide(
    read: Callable[[], Iterable[Scores]],
    scored: int,
    threshold: Threshold = AUTO,
    keep: Keep | None = None,
    estimated: Estimate | None = None,
) -> Decision:
    """`read` gives all scores, as often as it is called.

    Raises:
        CorpusError: there is nothing to estimate a threshold from, or no pair seems to be right.
    """
    if keep is not None:
        count = keep.of(scored)
        if not count:
            return Decision(math.inf)
        place = nth_highest(read, count)
        return Decision(place.value, count - place.above)
    if threshold != AUTO:
        return Decision(threshold)
    if estimated is None:
        raise CorpusError(
            f"a threshold cannot be estimated from fewer than {FEWEST} pairs: {scored:,} are left to judge, "
            "less copies and sides in another language",
            hint="pass a threshold (--threshold 0.2), or how many to keep (--keep 80%)",
        )
    best = estimated.calibration.best()
    if not best.kept:
        raise CorpusError(
            "by their scores, none of the pairs is a translation",
            hint="does the model know both languages, and are the two sides shifted or shuffled against each other? "
            "--threshold or --keep decide otherwise",
        )
    return Decision(best.threshold)
