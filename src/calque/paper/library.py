"""The corpora and evaluation sets at hand, and what stands in for those of the paper that are not."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import xxhash

from ..corpus.bitext import languages_in_name
from ..errors import UsageError
from ..evaluation.suites import SUITES

_ENGLISH = "en"
_DATA = "--data is the folder with bitext/ and eval/"


@dataclass(frozen=True)
class Corpus:
    """One or more bitexts of one language pair, English first."""

    sources: tuple[str, ...]  # europarl
    languages: tuple[str, str]
    paths: tuple[Path, ...]
    stands_for: str = ""  # the paper's corpus, if this is not it

    @property
    def name(self) -> str:
        """europarl.en-es"""
        return f"{'+'.join(self.sources)}.{'-'.join(self.languages)}"


def stand_in_notes(corpora: Iterable[Corpus]) -> list[str]:
    """What a table must say of corpora that are not the paper's own."""
    used: dict[str, dict[str, None]] = {}
    for corpus in corpora:
        if corpus.stands_for:
            used.setdefault(corpus.stands_for, {}).update(dict.fromkeys(corpus.sources))
    return [
        f"{_listed(list(sources))} {'stand' if len(sources) > 1 else 'stands'} in for {wanted}, which is not at hand."
        for wanted, sources in used.items()
    ]


def _listed(names: list[str]) -> str:
    """a, b and c"""
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


class EvaluationSets(NamedTuple):
    names: tuple[str, ...]
    digest: str  # of all that they hold


class Library:
    """What lies below a folder: bitexts named like `europarl.en-es.tsv.xz`, and the evaluation sets."""

    def __init__(self, data: str | Path) -> None:
        self.data = Path(data)
        self._sets: dict[str, EvaluationSets] = {}
        if not self.data.is_dir():
            raise UsageError(f"there is no folder {data}", hint=_DATA)

    @cached_property
    def _bitexts(self) -> dict[str, dict[tuple[str, str], Path]]:
        """By source, then by language pair."""
        found: dict[str, dict[tuple[str, str], Path]] = {}
        folder = self.data / "bitext" if (self.data / "bitext").is_dir() else self.data
        for path in sorted(folder.iterdir()):
            languages = languages_in_name(path.name)
            source = path.name.partition(".")[0].lower()
            if path.is_file() and languages and languages[0] == _ENGLISH and not source.startswith("sts"):
                found.setdefault(source, {})[languages] = path
        return found

    @property
    def evaluation(self) -> Path:
        return self.data / "eval" if (self.data / "eval").is_dir() else self.data

    def sets(self, suite: str) -> EvaluationSets:
        """Those of `sts`, `sts17` or `bucc`.

        Raises:
            CalqueError: there are none, or they cannot be read.
        """
        if suite not in self._sets:
            found = SUITES[suite].find(self.evaluation)
            digest = xxhash.xxh3_64()
            for each in found:
                gold = sorted(each.gold) if isinstance(each.gold, frozenset) else each.gold
                for part in (each.name, str(gold), *SUITES[suite].texts(each)):
                    digest.update(part.encode("utf-8", "surrogatepass") + b"\n")
            self._sets[suite] = EvaluationSets(tuple(each.name for each in found), digest.hexdigest()[:6])
        return self._sets[suite]

    def languages(self, sources: Sequence[str]) -> list[str]:
        """Those that any of the sources pairs with English."""
        return sorted({pair[1] for source in sources for pair in self._bitexts.get(source, {}) if pair[1] != _ENGLISH})

    def corpus(self, wanted: str, language: str, stand_ins: Sequence[str] = ()) -> Corpus | None:
        """The corpus the paper used, under its name, or all of the stand-ins together; None if there is neither."""
        for sources, stands_for in (((wanted.lower(),), ""), (tuple(stand_ins), wanted)):
            pair = (_ENGLISH, language)
            present = tuple(source for source in sources if pair in self._bitexts.get(source, {}))
            if present:
                paths = tuple(self._bitexts[source][pair] for source in present)
                return Corpus(present, pair, paths, stands_for)
        return None

    def require(self, wanted: str, language: str, stand_ins: Sequence[str] = ()) -> Corpus:
        corpus = self.corpus(wanted, language, stand_ins)
        if corpus is None:
            names = " or ".join(f"{name}.{_ENGLISH}-{language}.tsv" for name in (wanted.lower(), *stand_ins))
            raise UsageError(f"{self.data}: no bitext {names}, compressed or not", hint=_DATA)
        return corpus
