"""Similarity of many pairs in a file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from ..batches import batches
from ..corpus import STDIN, Languages, Pair, find_bitexts, read_lines
from ..corpus.bitext import languages_in_name
from ..corpus.formats import format_of
from ..errors import CorpusError
from ..model import Model
from ..model.familiarity import COMPARING, peeked, sides_of_pairs, warn_of_languages

_BATCH = 10_000
_LINES = ("tsv", "text")  # formats whose lines are kept as they are


class ScoredLine(NamedTuple):
    line: str
    first: str
    second: str
    score: float


def score_pairs(
    model: Model, path: str | Path, columns: tuple[int, int] = (1, 2), languages: Languages | None = None
) -> Iterator[ScoredLine]:
    """Each line of a TSV with the cosine of two of its columns (counted from 1); or each pair of another bitext.

    Standard input is a TSV.
    """
    if str(path) == STDIN or format_of(path) in _LINES:
        rows: Iterable[_Row] = _table(path, columns)
    else:
        (bitext,) = find_bitexts([str(path)], languages or (), columns if columns != (1, 2) else None)
        rows = (_Row("\t".join(" ".join(side.split()) for side in pair), *pair) for pair in bitext.pairs())
        languages = bitext.languages
    in_name = languages_in_name(str(path)) if columns == (1, 2) else None
    head, rows = peeked(rows)
    pairs = [Pair(row.first, row.second) for row in head]
    warn_of_languages(model, *sides_of_pairs(pairs, languages or in_name), expect=COMPARING)
    for batch in batches(rows, _BATCH):
        scores = model.similarities([row.first for row in batch], [row.second for row in batch], languages)
        for row, score in zip(batch, scores, strict=True):
            yield ScoredLine(*row, float(score))


class _Row(NamedTuple):
    line: str
    first: str
    second: str


def _table(path: str | Path, columns: tuple[int, int]) -> Iterator[_Row]:
    one, two = columns
    for number, line in enumerate(read_lines(path), start=1):
        cells = line.split("\t")
        if len(cells) < max(columns):
            raise CorpusError(
                f"{path}, line {number}: no column {max(columns)}, only {len(cells)}",
                hint="columns are separated by one tab; --columns says which to compare",
            )
        yield _Row(line, cells[one - 1], cells[two - 1])
