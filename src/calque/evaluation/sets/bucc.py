"""Parallel sentences hidden among others, to be mined: the shared task of BUCC 2018."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from ...corpus.languages import standard
from ...corpus.lines import read_lines
from ...corpus.pair import Languages
from ...errors import CorpusError
from .folders import check_once, files_of, name_of, nothing_found

_SPLITS = ("sample", "training", "test")
_GOLD = re.compile(rf"([a-z]{{2,3}})-([a-z]{{2,3}})\.({'|'.join(_SPLITS)})\.gold")


@dataclass(frozen=True)
class MiningSet:
    """MiningSet("de-en.sample", "de-en", "sample", ("de", "en"), ["de-000000001", …], ["Das …", …], …)"""

    name: str
    pair: str
    split: str  # sample, training or test
    languages: Languages
    source_ids: list[str]
    source: list[str]
    target_ids: list[str]
    target: list[str]
    gold: frozenset[tuple[str, str]]  # (source id, target id)


def find_bucc(path: str | Path) -> list[MiningSet]:
    """Every set that has its gold; the test sets were published without.

    Raises:
        UsageError: no gold is there.
        CorpusError: a side is missing, an id is there twice or not at all, with the place.
    """
    found = [(name, file) for file in files_of(path) if (name := _GOLD.fullmatch(name_of(file)))]
    if not found:
        raise nothing_found(
            path,
            "bucc",
            "de-en.training.gold with de-en.training.de and de-en.training.en, and the like",
            "sets without gold cannot be scored; calque corpus download bucc18 fetches samples and training sets",
        )
    found.sort(key=lambda one: (one[0][1], one[0][2], _SPLITS.index(one[0][3])))
    check_once((name[0].removesuffix(".gold"), file) for name, file in found)
    return [_read(name[1], name[2], name[3], file) for name, file in found]


def _read(one: str, two: str, split: str, gold: Path) -> MiningSet:
    pair = f"{one}-{two}"
    sides = [_read_side(_beside(gold, f"{pair}.{split}.{language}")) for language in (one, two)]
    return MiningSet(
        f"{pair}.{split}",
        pair,
        split,
        (standard(one) or one, standard(two) or two),
        *(list(sides[0]), list(sides[0].values())),
        *(list(sides[1]), list(sides[1].values())),
        _read_gold(gold, sides[0], sides[1]),
    )


def _beside(gold: Path, name: str) -> Path:
    for path in gold.parent.iterdir():
        if name_of(path) == name:
            return path
    raise CorpusError(
        f"{gold}: expected {name} beside it, and it is not there",
        hint="a set is three files: both languages and the gold",
    )


def _read_side(path: Path) -> dict[str, str]:
    """Sentences by their ids, in order."""
    sentences: dict[str, str] = {}
    for number, line in enumerate(read_lines(path), start=1):
        name, tab, sentence = line.partition("\t")
        if not tab:
            raise CorpusError(f"{path}, line {number}: expected 2 columns, got 1", hint="id, tab, sentence")
        if name in sentences:
            raise CorpusError(f"{path}, line {number}: the id {name!r} is there for the second time")
        sentences[name] = sentence
    return sentences


def _read_gold(path: Path, source: dict[str, str], target: dict[str, str]) -> frozenset[tuple[str, str]]:
    pairs = set()
    for number, line in enumerate(read_lines(path), start=1):
        cells = line.split("\t")
        if len(cells) != 2:
            raise CorpusError(f"{path}, line {number}: expected 2 columns, got {len(cells)}", hint="id, tab, id")
        one, two = cells
        if one in target and two in source and not (one in source and two in target):
            one, two = two, one
        for name, side in ((one, source), (two, target)):
            if name not in side:
                raise CorpusError(
                    f"{path}, line {number}: no sentence has the id {name!r}",
                    hint="the gold and both languages must be of one release",
                )
        pairs.add((one, two))
    if not pairs:
        raise CorpusError(f"{path}: expected pairs of ids, got an empty file")
    return frozenset(pairs)
