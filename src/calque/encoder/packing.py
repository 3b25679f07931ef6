"""Sentences of different lengths laid side by side without any padding.

Longest first, so that those still going at step t are the first `alive[t]`: the tokens of step 0 lie together, then
those of step 1, and so on. Read backwards, each sentence begins with its last token.

    a b c      alive   2 2 1
    d e        places  a d b e c
               mirror  c e b d a
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..vocabulary import Tokens

LONGEST = 10_000  # tokens of a sentence that are read: time and memory must end somewhere

Indexes = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Packed:
    sentences: Indexes  # which sentence each column is, longest first; those without a token are left out
    lengths: Indexes  # of each
    alive: list[int]  # columns at each step
    places: Indexes  # where each packed token stands among the ids
    mirror: Indexes  # the packed token that takes its turn when all is read backwards

    def __len__(self) -> int:
        return len(self.places)


def pack(tokens: Tokens, sentences: npt.NDArray[Any]) -> Packed:
    lengths = _lengths(tokens)[sentences]
    order = np.argsort(-lengths, kind="stable")[: np.count_nonzero(lengths)]
    sentences, lengths = np.asarray(sentences, np.int64)[order], lengths[order]
    steps = int(lengths[0]) if len(lengths) else 0
    alive = len(lengths) - np.searchsorted(lengths[::-1], np.arange(steps), side="right")
    begins = np.cumsum(alive) - alive  # of the steps
    step = np.repeat(np.arange(steps), alive)
    column = np.arange(len(step)) - np.repeat(begins, alive)
    places = tokens.offsets.astype(np.int64)[sentences][column] + step
    mirror = begins[lengths[column] - 1 - step] + column
    return Packed(sentences, lengths, alive.tolist(), places, mirror)


def packs(tokens: Tokens, most_tokens: int) -> Iterator[Packed]:
    """All sentences that have tokens, like lengths together, so many tokens at a time or one sentence."""
    lengths = _lengths(tokens)
    order = np.argsort(-lengths, kind="stable")[: np.count_nonzero(lengths)]
    filled = np.cumsum(lengths[order])
    begin, before = 0, 0
    while begin < len(order):
        end = max(begin + 1, int(np.searchsorted(filled, before + most_tokens, side="right")))
        yield pack(tokens, order[begin:end])
        begin, before = end, int(filled[end - 1])


def _lengths(tokens: Tokens) -> Indexes:
    return np.minimum(np.diff(tokens.offsets.astype(np.int64)), LONGEST)
