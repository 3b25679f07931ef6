"""Pairs that were there before, known by their hashes: memory is bounded, and what had to be forgotten is counted."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from ... import _kernel
from .measures import Batch, Measures, Scores
from .rule import Rule

MEGABYTES = 256  # for one rule: certain for 26 million distinct pairs

Hashes = npt.NDArray[np.uint64]


def _seen() -> _kernel.Seen:
    return _kernel.Seen(MEGABYTES << 17)  # eight bytes a slot


@dataclass(frozen=True)
class Duplicate(Rule):
    seen: _kernel.Seen = field(default_factory=_seen, repr=False, compare=False)

    name = "duplicate"
    summary = "both sides as in a pair before"

    def score(self, batch: Batch) -> Scores:
        source, target = (self._hashes(side) for side in (batch.source, batch.target))
        return self.seen.add(pair_hash(source, target)).astype(np.float64)

    def _hashes(self, side: Measures) -> Hashes:
        return side["text_hash"]

    @property
    def forgotten(self) -> int:
        """Pairs that had to make room for others: a later copy of one of them is not found."""
        return self.seen.forgotten


@dataclass(frozen=True)
class NearDuplicate(Duplicate):
    name = "near-duplicate"
    summary = "the same letters as a pair before: case, digits, punctuation and spaces do not count"

    def _hashes(self, side: Measures) -> Hashes:
        return np.where(side["letters"] > 0, side["letters_hash"], side["text_hash"])


def pair_hash(source: Hashes, target: Hashes) -> Hashes:
    """The sides' order counts."""
    mixed = source * np.uint64(0x9E3779B97F4A7C15) + target
    mixed ^= mixed >> np.uint64(29)
    return mixed * np.uint64(0xBF58476D1CE4E5B9)
