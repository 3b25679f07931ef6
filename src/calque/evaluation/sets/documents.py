"""Two documents and which of their sentences translate each other, to be aligned: Bleualign's sets and the like."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from ...corpus.languages import standard
from ...corpus.lines import read_lines
from ...corpus.pair import Languages
from ...errors import CorpusError
from .folders import check_once, files_of, name_of, nothing_found

_BLOCK = re.compile(r"\[([\d, ]*)\] *: *\[([\d, ]*)\] *(?::.*)?")
_ENDING = re.compile(r"[a-z]{2,3}")
_NO_LANGUAGE = {"src", "tgt", "trg"}  # though one of them is a language's code

Block = tuple[tuple[int, ...], tuple[int, ...]]  # sources and targets, counted from 0


@dataclass(frozen=True)
class DocumentPair:
    """DocumentPair("dev", ("de", "fr"), ["Guten Tag.", …], ["Bonjour.", …], [((0,), (0, 1)), …])"""

    name: str
    languages: Languages | None
    source: list[str]
    target: list[str]
    gold: list[Block]


class _Files(NamedTuple):
    name: str
    endings: tuple[str, str]
    source: Path
    target: Path
    gold: Path


def find_documents(path: str | Path) -> list[DocumentPair]:
    """Every NAME.defr that lies beside NAME.de and NAME.fr, or the same with other endings.

    Raises:
        UsageError: nothing of the kind is there.
        CorpusError: a side is missing, or a line of the gold is not as it should be, with the place.
    """
    found = sorted(files for file in files_of(path) for files in _beside(file))
    if not found:
        raise nothing_found(
            path,
            "alignment",
            "dev.defr with dev.de and dev.fr, and the like",
            "the gold's lines are like [0]:[0, 1], sentences that translate each other, counted from 0",
        )
    check_once((files.name, files.gold) for files in found)
    return [_read(files) for files in found]


def _beside(gold: Path) -> Iterator[_Files]:
    name, _, ending = name_of(gold).rpartition(".")
    siblings = {name_of(file): file for file in gold.parent.iterdir()} if name and 4 <= len(ending) <= 6 else {}
    for cut in (2, 3):
        one, two = ending[:cut], ending[cut:]
        if not (_ENDING.fullmatch(one) and _ENDING.fullmatch(two)):
            continue
        source, target = siblings.get(f"{name}.{one}"), siblings.get(f"{name}.{two}")
        if source and target:
            yield _Files(name, (one, two), source, target, gold)
        elif (source or target) and _is_gold(gold):
            raise CorpusError(
                f"{gold}: expected {name}.{two if source else one} beside it, and it is not there",
                hint="a set is three files: both documents and the gold",
            )


def _is_gold(path: Path) -> bool:
    return any(_BLOCK.fullmatch(line.strip()) for line in islice(read_lines(path), 1))


def _read(files: _Files) -> DocumentPair:
    one, two = files.endings
    named = None if {one, two} & _NO_LANGUAGE else (standard(one) or one, standard(two) or two)
    source, target = list(read_lines(files.source)), list(read_lines(files.target))
    return DocumentPair(files.name, named, source, target, _read_gold(files, len(source), len(target)))


def _read_gold(files: _Files, sources: int, targets: int) -> list[Block]:
    blocks = []
    for number, line in enumerate(read_lines(files.gold), start=1):
        place = f"{files.gold}, line {number}"
        found = _BLOCK.fullmatch(line.strip())
        if not found:
            raise CorpusError(f"{place}: expected two lists of numbers like [0]:[0, 1], got {line[:40]!r}")
        blocks.append(
            (_numbers(found[1], sources, files.source, place), _numbers(found[2], targets, files.target, place))
        )
    if not any(source and target for source, target in blocks):
        raise CorpusError(f"{files.gold}: expected sentences that translate each other, got none")
    return blocks


def _numbers(text: str, count: int, document: Path, place: str) -> tuple[int, ...]:
    numbers = tuple(int(number) for number in re.findall(r"\d+", text))
    if beyond := [number for number in numbers if number >= count]:
        raise CorpusError(
            f"{place}: {document.name} has {count:,} sentences, and none has the number {beyond[0]:,}",
            hint="sentences are counted from 0; the gold and both documents must be of one release",
        )
    return numbers
