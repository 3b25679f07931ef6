"""STS as SemEval published it: STS.input.NAME.txt has the sentences, STS.gs.NAME.txt the scores, line by line."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from ...corpus.lines import read_lines
from ...corpus.scored import ScoredPair, parse_score
from ...errors import CorpusError
from .folders import folders_of, name_of

_FILE = re.compile(r"STS(20\d\d)?\.(input|gs)\.(.+)\.txt")
_YEAR = re.compile(r"(?:(?<![a-z])sts[-_]?(?:20)?|(?<!\d)20)(1[2-7])(?!\d)", re.IGNORECASE)  # as folders have it


class Published(NamedTuple):
    """Published(2012, "MSRpar", False, Path("STS2012-en-test/STS.input.MSRpar.txt"))"""

    year: int | None
    name: str
    is_gold: bool
    path: Path


class Scored(NamedTuple):
    """A set's two files."""

    year: int | None
    name: str
    sentences: Path
    gold: Path

    def read(self) -> list[ScoredPair]:
        """Pairs without a score, of which some years have many, are left out.

        Raises:
            CorpusError: with the line.
        """
        lines, scores = list(read_lines(self.sentences)), list(read_lines(self.gold))
        if len(lines) != len(scores):
            raise CorpusError(
                f"{self.sentences} has {len(lines):,} lines, and {self.gold} has {len(scores):,}",
                hint="each line of the one has its score in the same line of the other, or an empty line there",
            )
        numbered = enumerate(zip(lines, scores, strict=True), start=1)
        pairs = [self._pair(number, line, score) for number, (line, score) in numbered if score.strip()]
        if len(pairs) < 2:
            raise CorpusError(f"{self.gold}: expected at least two scores, got {len(pairs)}")
        return pairs

    def _pair(self, number: int, line: str, score: str) -> ScoredPair:
        cells = line.split("\t")
        if len(cells) < 2:
            raise CorpusError(
                f"{self.sentences}, line {number}: expected 2 columns or more, got 1", hint="sentence, tab, sentence"
            )
        return ScoredPair(parse_score(score.split("\t")[0], self.gold, number), cells[0], cells[1])


def published(files: Sequence[Path]) -> list[Published]:
    """Those of some files that are SemEval's, without the concatenation of all sets of a year.

    Of a single file with sentences, the scores are looked for beside it.
    """
    if len(files) == 1 and (scores := files[0].with_name(_gold_name(files[0]))).is_file():
        files = [*files, *({scores} - set(files))]
    found = [(path, name) for path in files if (name := _FILE.fullmatch(name_of(path)))]
    return [
        Published(_year(name[1], path), name[3], name[2] == "gs", path)
        for path, name in found
        if name[3].lower() != "all"
    ]


def _gold_name(sentences: Path) -> str:
    return sentences.name.replace(".input.", ".gs.", 1)


def _year(told: str | None, path: Path) -> int | None:
    """As the file's name tells it, or else the nearest folder's that does."""
    if told:
        return int(told)
    found = map(_YEAR.search, folders_of(path))
    return next((2000 + int(year[1]) for year in found if year), None)


def with_gold(files: Sequence[Published]) -> list[Scored]:
    """Sentences with their scores, which lie in the same folder, or in another one of the same year.

    Scores without sentences are no mistake: some sentences may not be passed on (2013's SMT). Nor are sentences without
    scores, if the same are there again with them: the task's participants got them so.

    Raises:
        CorpusError: scores are missing.
    """
    beside = {(file.path.parent, file.name): file.path for file in files if file.is_gold}
    of_year = {(file.year, file.name): file.path for file in files if file.is_gold}
    whole, alone = [], []
    for file in files:
        if file.is_gold:
            continue
        if gold := beside.get((file.path.parent, file.name)):
            whole.append(Scored(file.year, file.name, file.path, gold))
        else:
            alone.append(file)
    known = {(one.year, one.name) for one in whole}
    for file in alone:
        if gold := of_year.get((file.year, file.name)):
            if (file.year, file.name) not in known:
                whole.append(Scored(file.year, file.name, file.path, gold))
        else:
            raise CorpusError(
                f"{file.path}: expected its scores in {_gold_name(file.path)}, and no such file is there",
                hint="sentences and scores may be two downloads: put the files of both into one folder",
            )
    return whole
