"""Sentence pairs with human judgements of their similarity: STS 2012–2016, STS 2017, the STS benchmark, any TSV."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ...corpus.bitext import languages_in_name
from ...corpus.languages import standard
from ...corpus.pair import Languages
from ...corpus.scored import ScoredPair, read_scored_pairs
from ...errors import UsageError
from .benchmark import read_benchmark
from .folders import check_once, files_of, folders_of, is_tsv, name_of, nothing_found, stem_of
from .semeval import Published, Scored, published, with_gold

_ENGLISH = ("en", "en")
_TRACKS = {  # in the order of the columns, which is not always that of the names
    "track1.ar-ar": ("ar", "ar"),
    "track2.ar-en": ("en", "ar"),
    "track3.es-es": ("es", "es"),
    "track4a.es-en": ("es", "en"),
    "track4b.es-en": ("en", "es"),
    "track5.en-en": ("en", "en"),
    "track6.tr-en": ("en", "tr"),
}
# Not SemEval's: the English track's first sentences and second ones, translated (Reimers and Gurevych 2020).
_ADDED_LANGUAGES = {("de", "en"), ("fr", "en"), ("it", "en"), ("nl", "en")}
_ADDED_NAME = re.compile(r"(?:(?:sts[-_]?(?:20)?(?:17)?|track\w+)\.)?[a-z]{2}-[a-z]{2}", re.IGNORECASE)
_SPLITS = ("train", "dev", "test")
_BENCHMARK = re.compile(rf"([a-z]{{2,3}}(?:-[A-Z][A-Za-z]+)?)-({'|'.join(_SPLITS)})")
_OFFICIAL_BENCHMARK = re.compile(rf"sts-({'|'.join(_SPLITS)})\.[ct]sv")
_YEARS = range(2012, 2017)
_YEAR_FOLDER = re.compile(r"(?:sts[-_]?(?:20)?(1[2-6])(?!\d).*|20(1[2-6]))", re.IGNORECASE)
_ASIDE = re.compile(r"train|trial|spanish|cross|(?:^|[-_])es(?:[-_]|$)", re.IGNORECASE)
_YEAR_NAME = re.compile(r"(201[2-6])\.")


@dataclass(frozen=True)
class SimilaritySet:
    """SimilaritySet("2012.MSRpar", "2012", ("en", "en"), [4.4, …], ["The problem …", …], ["The problem …", …])"""

    name: str
    group: str  # "2012" for STS 2012–2016, whose sets are averaged by year; "" where there are no such groups
    languages: Languages | None  # of the first and the second sentence, in the order of the columns
    gold: list[float]
    first: list[str]
    second: list[str]


@dataclass(frozen=True)
class _Source:
    """Where a set lies, and how it is read."""

    name: str
    group: str
    languages: Languages | None
    path: Path
    pairs: Callable[[Path], list[ScoredPair]] = read_scored_pairs

    def read(self) -> SimilaritySet:
        pairs = self.pairs(self.path)
        gold, first, second = [one.score for one in pairs], [one.first for one in pairs], [one.second for one in pairs]
        return SimilaritySet(self.name, self.group, self.languages, gold, first, second)


def find_sts(path: str | Path) -> list[SimilaritySet]:
    """The sets of STS 2012–2016; where there are none, every TSV that lies in the folder itself.

    Raises:
        UsageError: nothing of the kind is there, or nothing tells the year.
        CorpusError: a file that is not as it should be, with the line.
    """
    top = Path(path)
    files = [file for file in files_of(path) if not _is_aside(file, top)]
    sources = [_official(one) for one in with_gold(_of_the_years(files))]
    sources += [_of_year(file, year) for file in files if is_tsv(file) and (year := _year_of_folder(file))]
    if not sources:
        sources = [_loose(file) for file in files if file == top or (file.parent == top and is_tsv(file))]
    if not sources:
        raise nothing_found(
            path,
            "sts",
            "STS.input.NAME.txt with STS.gs.NAME.txt, YEAR/NAME.tsv, or TSVs in the folder itself",
            "a TSV has score, tab, sentence, tab, sentence; calque corpus download sts12 (to sts16) fetches a year",
        )
    return _read(sorted(sources, key=lambda source: (source.group, source.name.casefold())))


def _is_aside(file: Path, top: Path) -> bool:
    """Training sets and other languages' sets have the same names as the English test sets."""
    return any(_ASIDE.search(folder) for folder in file.relative_to(top).parts[:-1])


def _of_the_years(files: list[Path]) -> list[Published]:
    found = [file for file in published(files) if file.name not in _TRACKS]
    for file in found:
        if file.year is None and not file.is_gold:
            raise UsageError(
                f"{file.path}: cannot tell the year of this set",
                hint="put each year's files into a folder that names it: 2012, STS12-en-test or STS2012-en-test",
            )
    return [file for file in found if file.year in _YEARS]


def _official(one: Scored) -> _Source:
    return _Source(f"{one.year}.{one.name}", str(one.year), _ENGLISH, one.sentences, lambda _: one.read())


def find_sts17(path: str | Path) -> list[SimilaritySet]:
    """The tracks of STS 2017 in their order, then those that were added since; raises as find_sts.

    An added track is a TSV such as en-de.tsv or sts17.fr-en.tsv, in the folder itself or beside a track of SemEval's.
    """
    files = files_of(path)
    official = [file._replace(year=2017) for file in published(files) if file.name in _TRACKS]
    sources = [_track(one) for one in with_gold(official)]
    sources += [_Source(name, "", _TRACKS[name], file) for file in files if (name := stem_of(file)) in _TRACKS]
    folders = {Path(path), *(source.path.parent for source in sources)}
    sources += [_loose(file) for file in files if _is_added(file) and (file == Path(path) or file.parent in folders)]
    if not sources:
        raise nothing_found(
            path,
            "sts17",
            "STS.input.track5.en-en.txt with STS.gs.track5.en-en.txt, or track5.en-en.tsv, and so on",
            f"the tracks are {', '.join(_TRACKS)}; calque corpus download sts17 fetches them; "
            "TSVs like en-de.tsv hold the added ones: de, fr, it and nl with en",
        )
    places = {name: place for place, name in enumerate(_TRACKS)}
    return _read(sorted(sources, key=lambda source: (places.get(source.name, len(places)), source.name.casefold())))


def _is_added(file: Path) -> bool:
    languages = languages_in_name(name_of(file)) if is_tsv(file) and _ADDED_NAME.fullmatch(stem_of(file)) else None
    return languages is not None and (languages in _ADDED_LANGUAGES or languages[::-1] in _ADDED_LANGUAGES)


def _track(one: Scored) -> _Source:
    return _Source(one.name, "", _TRACKS[one.name], one.sentences, lambda _: one.read())


def find_stsb(path: str | Path) -> list[SimilaritySet]:
    """The STS benchmark in English and, as TSVs, in other languages; raises as find_sts."""
    sources = [source for file in files_of(path) if (source := _benchmark(file))]
    if not sources:
        raise nothing_found(
            path,
            "stsb",
            "sts-train.csv, sts-dev.csv and sts-test.csv, or TSVs with names like en-dev.tsv",
            "calque corpus download stsb fetches it in English",
        )

    def order(source: _Source) -> tuple[str, int]:
        language, _, split = source.name.rpartition("-")
        return language, _SPLITS.index(split)

    return _read(sorted(sources, key=order))


def _read(sources: list[_Source]) -> list[SimilaritySet]:
    check_once((source.name, source.path) for source in sources)
    return [source.read() for source in sources]


def _year_of_folder(file: Path) -> str | None:
    found = _YEAR_FOLDER.fullmatch(folders_of(file)[0])
    return f"20{found[1] or found[2]}" if found else None


def _of_year(file: Path, year: str) -> _Source:
    return _Source(f"{year}.{stem_of(file)}", year, _ENGLISH, file)


def _loose(file: Path) -> _Source:
    name = stem_of(file)
    if year := _YEAR_NAME.match(name):
        return _Source(name, year[1], _ENGLISH, file)
    return _Source(name, "", _TRACKS.get(name) or languages_in_name(name_of(file)), file)


def _benchmark(file: Path) -> _Source | None:
    if official := _OFFICIAL_BENCHMARK.fullmatch(name_of(file)):
        return _Source(f"en-{official[1]}", "", _ENGLISH, file, read_benchmark)
    found = _BENCHMARK.fullmatch(stem_of(file)) if is_tsv(file) else None
    if not found:
        return None
    language = standard(found[1]) or found[1]
    return _Source(found[0], "", (language, language), file)
