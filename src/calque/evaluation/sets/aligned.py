"""Sentences and their translations, line by line, for retrieval: Tatoeba, FLORES, NTREX, any aligned files."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from ...corpus.languages import standard
from ...corpus.lines import read_lines
from ...corpus.pair import Languages
from ...errors import CorpusError
from .folders import check_once, files_of, is_tsv, nothing_found, stem_of


@dataclass(frozen=True)
class AlignedSet:
    """AlignedSet("deu-eng", ("de", "en"), ["Guten Tag.", …], ["Hello.", …]): sentence i translates sentence i"""

    name: str
    languages: Languages | None
    source: list[str]
    target: list[str]


_TATOEBA = re.compile(r"(?:tatoeba\.)?([a-z]{3})-(eng)")


def find_tatoeba(path: str | Path) -> list[AlignedSet]:
    """LASER's Tatoeba test set: each language with English."""
    named = [
        (f"{name[1]}-{name[2]}", file)
        for file in files_of(path)
        if is_tsv(file) and (name := _TATOEBA.fullmatch(stem_of(file)))
    ]
    if not named:
        raise nothing_found(
            path,
            "tatoeba",
            "tatoeba.deu-eng.deu with tatoeba.deu-eng.eng, or deu-eng.tsv, and so on",
            "calque corpus download tatoeba fetches all of it, and calque corpus download tatoeba de one language",
        )
    check_once(named)
    return [_read_tsv(name, file) for name, file in sorted(named)]


def find_retrieval(path: str | Path) -> list[AlignedSet]:
    """Each language of a folder of aligned files against English."""
    files = {stem_of(file): list(read_lines(file)) for file in files_of(path)}
    english = next(name for name in files if standard(name) == "en")
    return [
        AlignedSet(f"{name}-{english}", (standard(name) or name, "en"), files[name], files[english])
        for name in sorted(files)
        if name != english
    ]


def _read_tsv(name: str, path: Path) -> AlignedSet:
    source, target = [], []
    for number, line in enumerate(read_lines(path), start=1):
        cells = line.split("\t")
        if len(cells) != 2:
            raise CorpusError(
                f"{path}, line {number}: expected 2 columns, got {len(cells)}", hint="sentence, tab, translation"
            )
        source.append(cells[0])
        target.append(cells[1])
    one, _, two = name.partition("-")
    return AlignedSet(name, (standard(one) or one, standard(two) or two), source, target)
