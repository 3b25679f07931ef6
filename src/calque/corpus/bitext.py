"""Bitext: sentence pairs that translate each other, from a TSV file or from two parallel files."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import NamedTuple

from ..errors import CorpusError, UsageError
from .lines import STDIN, read_lines


class Pair(NamedTuple):
    source: str
    target: str


@dataclass(frozen=True)
class Bitext:
    """One corpus of one language pair.

    Bitext(("europarl.en-es.tsv.xz",), ("en", "es")) or Bitext(("corpus.en", "corpus.es"), ("en", "es"))
    """

    paths: tuple[str, ...]
    languages: tuple[str, str] | None = None
    columns: tuple[int, int] | None = None  # from 1; None: there must be just two

    @property
    def name(self) -> str:
        """What a signature calls it: the file's name without its endings."""
        name = Path(self.paths[0]).name
        name = re.sub(r"(\.(tsv|txt|csv|gz|bz2|xz|zst))+$", "", name)
        if len(self.paths) == 2 and self.languages:
            name = name.removesuffix(f".{self.languages[0]}")
            return f"{name}.{'-'.join(self.languages)}"
        return name

    def pairs(self) -> Iterator[Pair]:
        """The pairs, streamed; pairs with an empty side say nothing and are left out."""
        rows = self._tsv_rows() if len(self.paths) == 1 else self._parallel_rows()
        for pair in rows:
            if pair.source.strip() and pair.target.strip():
                yield pair

    def _tsv_rows(self) -> Iterator[Pair]:
        path = self.paths[0]
        first, second = self.columns or (1, 2)
        for number, line in enumerate(read_lines(path), start=1):
            cells = line.split("\t")
            if self.columns is None and len(cells) != 2:
                raise CorpusError(
                    f"{path}, line {number}: expected 2 columns, got {len(cells)}", hint=_column_hint(cells)
                )
            if len(cells) < max(first, second):
                raise CorpusError(f"{path}, line {number}: no column {max(first, second)}, only {len(cells)}")
            yield Pair(cells[first - 1], cells[second - 1])

    def _parallel_rows(self) -> Iterator[Pair]:
        one, two = self.paths
        for number, (source, target) in enumerate(zip_longest(read_lines(one), read_lines(two)), start=1):
            if source is None or target is None:
                short, long = (one, two) if source is None else (two, one)
                lines = number - 1
                raise CorpusError(
                    f"{short} has {lines} lines, but {long} has more",
                    hint="parallel files hold one sentence a line, and line n of one translates line n of the other",
                )
            yield Pair(source, target)


def find_bitexts(
    paths: Sequence[str], languages: Sequence[str] = (), columns: tuple[int, int] | None = None
) -> list[Bitext]:
    """The corpora that a list of files stands for: each file with tabs is one, the others belong together by twos.

    `languages` names the two sides, if the files' names (`corpus.en-es.tsv`, `corpus.en corpus.es`) do not.
    """
    if not paths:
        raise UsageError("no bitext given", hint="name a TSV file, or two parallel files")
    if languages and len(languages) != 2:
        raise UsageError(f"expected two languages, got {len(languages)}: {' '.join(languages)}", hint="like en es")
    named = (languages[0], languages[1]) if languages else None
    found: list[Bitext] = []
    waiting: str | None = None
    for path in map(str, paths):
        if _has_tabs(path):
            found.append(Bitext((path,), named or languages_in_name(path), columns))
        elif waiting is None:
            waiting = path
        else:
            found.append(Bitext((waiting, path), named or _languages_of_files(waiting, path)))
            waiting = None
    if waiting is not None:
        raise CorpusError(
            f"{waiting}, line 1: no tab, so this is one side of a bitext, and the other is missing",
            hint="name two parallel files one after the other, or a TSV with source and target separated by a tab",
        )
    return found


def _has_tabs(path: str) -> bool:
    if path == STDIN:
        return True  # it can be read once only; what is not a TSV is found out on the way
    first = next(read_lines(path), None)
    if first is None:
        raise CorpusError(f"{path} is empty", hint="a bitext holds one sentence pair a line")
    return "\t" in first


_LANGUAGE = r"[a-z]{2,3}(?:[-_][A-Z][A-Za-z]{1,3})?"


def languages_in_name(path: str) -> tuple[str, str] | None:
    """The languages that a name like `corpus.en-es.tsv` tells.

    At the start of a name, a short and a long code are more likely words: `my-set.tsv`, `en-dev.tsv`.
    """
    found = re.search(rf"(?:^|[._])({_LANGUAGE})-({_LANGUAGE})(?=[._]|$)", Path(path).name)
    if not found or (found.start() == 0 and len(found[1]) != len(found[2])):
        return None
    return found[1], found[2]


def _languages_of_files(one: str, two: str) -> tuple[str, str] | None:
    ending = r"(?:txt|tsv|csv|gz|bz2|xz|zst)"
    ends = [re.search(rf"\.(?!{ending}(?:\.|$))({_LANGUAGE})(?:\.{ending})*$", path) for path in (one, two)]
    return (ends[0][1], ends[1][1]) if ends[0] and ends[1] else None


def _column_hint(cells: list[str]) -> str:
    if len(cells) == 1:
        return "columns are separated by one tab"
    return f"pass --columns 1,2 (or others of the {len(cells)}) to say which hold the source and the target"
