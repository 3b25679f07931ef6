"""Sentences and their translations, line by line, for retrieval: Tatoeba, FLORES, NTREX, any aligned files."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from ...corpus.bitext import languages_in_name
from ...corpus.languages import base, standard
from ...corpus.lines import read_lines
from ...corpus.pair import Languages
from ...errors import CorpusError
from .folders import check_once, files_of, is_tsv, name_of, nothing_found, stem_of
from .parallel import Parallel, find_parallel

_TATOEBA = re.compile(r"(?:tatoeba\.)?([a-z]{3}-eng)\.tsv")
_OFFICIAL_TATOEBA = re.compile(r"tatoeba\.([a-z]{3}-eng)\.([a-z]{3})")


@dataclass(frozen=True)
class AlignedSet:
    """AlignedSet("deu-eng", ("de", "en"), ["Guten Tag.", …], ["Hello.", …]): sentence i translates sentence i"""

    name: str
    languages: Languages | None
    source: list[str]
    target: list[str]


def find_tatoeba(path: str | Path) -> list[AlignedSet]:
    """LASER's Tatoeba test set: each language with English.

    Raises:
        UsageError: nothing of the kind is there.
        CorpusError: a file is missing or not as it should be, with the line.
    """
    files = files_of(path)
    tables = [(found[1], file) for file in files if (found := _TATOEBA.fullmatch(name_of(file)))]
    sides = _tatoeba_sides(files)
    if not sides and not tables:
        raise nothing_found(
            path,
            "tatoeba",
            "tatoeba.deu-eng.deu with tatoeba.deu-eng.eng, or deu-eng.tsv, and so on",
            "calque corpus download tatoeba fetches all of it, and calque corpus download tatoeba de one language",
        )
    check_once([*tables, *((side.pair, side.source) for side in sides)])
    sets = [_read_table(pair, _languages(*pair.split("-")), file) for pair, file in tables]
    for pair, source, target in sides:
        lines = _read_side(source), _read_side(target)
        _check_same_length(source, lines[0], target, lines[1])
        sets.append(AlignedSet(pair, _languages(*pair.split("-")), *lines))
    return sorted(sets, key=lambda one: one.name)


class _TatoebaSides(NamedTuple):
    """_TatoebaSides("deu-eng", Path("tatoeba.deu-eng.deu"), Path("tatoeba.deu-eng.eng"))"""

    pair: str
    source: Path
    target: Path


def _tatoeba_sides(files: Sequence[Path]) -> list[_TatoebaSides]:
    pairs: dict[tuple[Path, str], dict[str, Path]] = defaultdict(dict)
    for file in files:
        if found := _OFFICIAL_TATOEBA.fullmatch(name_of(file)):
            pairs[file.parent, found[1]][found[2]] = file
    for (_, pair), sides in pairs.items():
        if missing := set(pair.split("-")) - set(sides):
            raise CorpusError(
                f"{next(iter(sides.values()))}: expected tatoeba.{pair}.{missing.pop()} beside it, and it is not there",
                hint=f"calque corpus download tatoeba {pair} fetches both",
            )
    return [_TatoebaSides(pair, sides[pair[:3]], sides["eng"]) for (_, pair), sides in pairs.items()]


def find_retrieval(path: str | Path) -> list[AlignedSet]:
    """Each language against English, or against the first where there is no English: FLORES, NTREX, any aligned files.

    Raises:
        UsageError: nothing of the kind is there.
        CorpusError: files of differing lengths, or a file that is not as it should be.
    """
    files = files_of(path)
    if files == [Path(path)] and is_tsv(files[0]):
        return [_read_table(stem_of(files[0]), languages_in_name(name_of(files[0])), files[0])]
    groups = find_parallel(files, Path(path))
    if not groups:
        raise nothing_found(
            path,
            "retrieval",
            "two or more aligned files whose names tell a language: eng_Latn.dev, newstest2019-ref.deu.txt, corpus.en",
            "sentence i of each file says the same; calque corpus download flores fetches such files",
        )
    sets = [one for group in groups for one in _read_group(group, prefix=len(groups) > 1)]
    check_once((one.name, Path(path)) for one in sets)
    return sets


def _read_group(group: Parallel, prefix: bool) -> list[AlignedSet]:
    target = _read_side(group.pivot.path)
    sets = []
    # NTREX has English three times over: British against American English would only flatter a mean.
    foreign = [other for other in group.others if not _same_language(other.code, group.pivot.code)]
    for code, path in foreign or group.others:
        source = _read_side(path)
        _check_same_length(path, source, group.pivot.path, target)
        name = f"{group.label}." * prefix + f"{code}-{group.pivot.code}"
        sets.append(AlignedSet(name, _languages(code, group.pivot.code), source, target))
    return sets


def _same_language(one: str, two: str) -> bool:
    first, second = map(base, _languages(one, two))
    return first == second


def _languages(one: str, two: str) -> Languages:
    return standard(one) or one, standard(two) or two


def _read_side(path: Path) -> list[str]:
    return _enough(list(read_lines(path)), path)


def _read_table(name: str, languages: Languages | None, path: Path) -> AlignedSet:
    source, target = [], []
    for number, line in enumerate(read_lines(path), start=1):
        cells = line.split("\t")
        if len(cells) != 2:
            raise CorpusError(
                f"{path}, line {number}: expected 2 columns, got {len(cells)}", hint="sentence, tab, translation"
            )
        source.append(cells[0])
        target.append(cells[1])
    return AlignedSet(name, languages, _enough(source, path), target)


def _enough(sentences: list[str], path: Path) -> list[str]:
    if len(sentences) < 2:
        raise CorpusError(f"{path}: expected at least two sentences, got {len(sentences)}")
    return sentences


def _check_same_length(one: Path, source: list[str], two: Path, target: list[str]) -> None:
    if len(source) != len(target):
        raise CorpusError(
            f"{one} has {len(source):,} lines, and {two} has {len(target):,}",
            hint="aligned files say the same in the same line; move files that belong to another text away",
        )
