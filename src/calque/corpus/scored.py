"""Sentence pairs with a human judgement of their similarity: score, tab, sentence, tab, sentence."""

from __future__ import annotations

import math
from pathlib import Path
from typing import NamedTuple

from ..errors import CorpusError
from .lines import read_lines


class ScoredPair(NamedTuple):
    score: float
    first: str
    second: str


def read_scored_pairs(path: str | Path) -> list[ScoredPair]:
    pairs = []
    for number, line in enumerate(read_lines(path), start=1):
        cells = line.split("\t")
        if len(cells) != 3:
            raise CorpusError(
                f"{path}, line {number}: expected 3 columns, got {len(cells)}",
                hint="score, tab, sentence, tab, sentence",
            )
        try:
            score = float(cells[0])
        except ValueError:
            score = math.nan
        if not math.isfinite(score):
            raise CorpusError(f"{path}, line {number}: expected a number in column 1, got {cells[0]!r}")
        pairs.append(ScoredPair(score, cells[1], cells[2]))
    if len(pairs) < 2:
        raise CorpusError(f"{path}: expected at least two scored pairs, got {len(pairs)}")
    return pairs
