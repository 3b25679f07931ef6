"""Similarity of many pairs in a file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from ..batches import batches
from ..corpus import read_lines
from ..errors import CorpusError
from ..model import Model

_BATCH = 10_000


class ScoredLine(NamedTuple):
    line: str
    score: float


def score_pairs(
    model: Model, path: str | Path, columns: tuple[int, int] = (1, 2), languages: tuple[str, str] | None = None
) -> Iterator[ScoredLine]:
    """Each line of a TSV with the cosine of two of its columns (counted from 1)."""
    lines = enumerate(read_lines(path), start=1)
    for batch in batches(lines, _BATCH):
        cells = [line.split("\t") for _, line in batch]
        for (number, _), row in zip(batch, cells, strict=True):
            if len(row) < max(columns):
                raise CorpusError(
                    f"{path}, line {number}: no column {max(columns)}, only {len(row)}",
                    hint="columns are separated by one tab; --columns says which to compare",
                )
        first, second = ([row[column - 1] for row in cells] for column in columns)
        for (_, line), score in zip(batch, model.similarities(first, second, languages), strict=True):
            yield ScoredLine(line, float(score))
