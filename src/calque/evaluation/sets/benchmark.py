"""The STS benchmark as published: `.csv` by name, but separated by tabs, with quotes that are nothing but quotes."""

from __future__ import annotations

from pathlib import Path

from ...corpus.lines import read_lines
from ...corpus.scored import ScoredPair, parse_score
from ...errors import CorpusError

_COLUMNS = 7  # genre, file, year, id, score, sentence, sentence; some lines go on with where these came from


def read_benchmark(path: Path) -> list[ScoredPair]:
    pairs = []
    for number, line in enumerate(read_lines(path), start=1):
        cells = line.split("\t")
        if len(cells) < _COLUMNS:
            raise CorpusError(
                f"{path}, line {number}: expected {_COLUMNS} columns or more, got {len(cells)}",
                hint="genre, file, year, id, score, sentence, sentence, separated by tabs; "
                "a TSV of score, sentence, sentence is called like en-dev.tsv",
            )
        pairs.append(ScoredPair(parse_score(cells[4], path, number, column=5), cells[5], cells[6]))
    if len(pairs) < 2:
        raise CorpusError(f"{path}: expected at least two scored pairs, got {len(pairs)}")
    return pairs
