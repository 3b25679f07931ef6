"""Sentence pairs with a human judgement of their similarity: score, tab, sentence, tab, sentence."""

from __future__ import annotations

import math
from pathlib import Path
from typing import NamedTuple

from ..errors import CorpusError
from .lines import read_lines

_RULE = "score, tab, sentence, tab, sentence"


class ScoredPair(NamedTuple):
    score: float
    first: str
    second: str


def read_scored_pairs(path: str | Path) -> list[ScoredPair]:
    pairs = []
    for number, line in enumerate(read_lines(path), start=1):
        cells = line.split("\t")
        if len(cells) != 3:
            raise CorpusError(f"{path}, line {number}: expected 3 columns, got {len(cells)}", hint=_RULE)
        pairs.append(ScoredPair(parse_score(cells[0], path, number), cells[1], cells[2]))
    if len(pairs) < 2:
        raise CorpusError(f"{path}: expected at least two scored pairs, got {len(pairs)}", hint=_RULE)
    return pairs


def parse_score(text: str, path: str | Path, line: int, column: int = 1) -> float:
    """A human judgement, as a file has it.

    Raises:
        CorpusError: it is no number, or no finite one.
    """
    try:
        score = float(text)
    except ValueError:
        score = math.nan
    if not math.isfinite(score):
        raise CorpusError(f"{path}, line {line}: expected a number in column {column}, got {text!r}", hint="like 3.5")
    return score
