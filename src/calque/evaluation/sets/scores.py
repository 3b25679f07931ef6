"""A human judgement, as a file has it."""

from __future__ import annotations

import math
from pathlib import Path

from ...errors import CorpusError


def parse_score(text: str, path: Path, line: int, column: int = 1) -> float:
    """
    Raises:
        CorpusError: it is no number, or no finite one.
    """
    try:
        score = float(text)
    except ValueError:
        score = math.nan
    if not math.isfinite(score):
        raise CorpusError(f"{path}, line {line}: expected a number in column {column}, got {text!r}")
    return score
