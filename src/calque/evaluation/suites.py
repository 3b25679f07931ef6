"""The suites: what each reads, what it measures, and in which order its figures are shown."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from .alignment import MEASURES as _ALIGNMENT
from .alignment import measure_alignment
from .mining import measure_mining
from .result import Result
from .retrieval import measure_retrieval
from .sentences import find_sentences
from .sets.aligned import AlignedSet, find_retrieval, find_tatoeba
from .sets.bucc import MiningSet, find_bucc
from .sets.documents import DocumentPair, find_documents
from .sets.sts import SimilaritySet, find_sts, find_sts17, find_stsb
from .similarity import measure_similarity
from .speed import measure_speed
from .standing import Standing, means, tier_of
from .subject import Subject


class Measured(NamedTuple):
    results: list[Result]
    means: list[Result]


_NONE: Standing = {}
Report = Callable[[str], None]  # gets the name of the set that is being measured
_Measure = Callable[[str, Subject, Sequence[Any], int, Report, Standing], Measured]


@dataclass(frozen=True)
class Suite:
    """`texts` are all that a set holds; `measures` begins with the one that papers report."""

    title: str
    find: Callable[[str | Path], Sequence[Any]]
    texts: Callable[[Any], Iterable[str]]
    measure: _Measure
    measures: tuple[str, ...]


def _set_by_set(measure: Callable[[Subject, str, Any, int], Result], group: Callable[[Any], str]) -> _Measure:
    """Each set on its own, and the means of those that `group` puts together and of all."""

    def measure_all(
        suite: str, subject: Subject, sets: Sequence[Any], resamples: int, report: Report, standing: Standing = _NONE
    ) -> Measured:
        results = []
        for each in sets:
            report(each.name)
            result = measure(subject, f"{suite}:{each.name}", each, resamples)
            tier = tier_of(subject, each)
            results.append(replace(result, notes={**result.notes, "tier": tier}) if tier else result)
        tiers = [standing.get(each.name) for each in sets]
        return Measured(results, means(suite, subject, results, [group(each) for each in sets], tiers))

    return measure_all


def _together(measure: Callable[[Subject, str, Sequence[Any], int], list[Result]]) -> _Measure:
    """All sets at once, as one may depend on another: a threshold that is chosen there, results that are pooled."""

    def measure_all(
        suite: str, subject: Subject, sets: Sequence[Any], resamples: int, report: Report, standing: Standing = _NONE
    ) -> Measured:
        report(", ".join(each.name for each in sets))
        return Measured(measure(subject, suite, sets, resamples), [])

    return measure_all


def _speed(
    suite: str, subject: Subject, sets: Sequence[str], resamples: int, report: Report, standing: Standing = _NONE
) -> Measured:
    report(f"{len(sets):,} sentences")
    return Measured([measure_speed(subject, f"{suite}:encode", sets)], [])


def _sides(each: SimilaritySet) -> Iterator[str]:
    yield from each.first
    yield from each.second


def _aligned_sides(each: AlignedSet | MiningSet | DocumentPair) -> Iterator[str]:
    yield from each.source
    yield from each.target


_similarity = _set_by_set(measure_similarity, lambda each: each.group)
_retrieval = _set_by_set(measure_retrieval, lambda each: "")
_mining, _alignment = _together(measure_mining), _together(measure_alignment)

_CORRELATION = ("pearson", "spearman")
_ACCURACY = ("accuracy", "forward", "backward", "margin_accuracy")
_MINING = ("f1", "precision", "recall")

SUITES = {
    "sts": Suite("STS 2012–2016, or any TSV of score, sentence, sentence", find_sts, _sides, _similarity, _CORRELATION),
    "sts17": Suite("STS 2017, within and across languages", find_sts17, _sides, _similarity, _CORRELATION),
    "stsb": Suite("STS benchmark", find_stsb, _sides, _similarity, _CORRELATION),
    "bucc": Suite("BUCC 2018, mining F1", find_bucc, _aligned_sides, _mining, _MINING),
    "tatoeba": Suite("LASER's Tatoeba, accuracy", find_tatoeba, _aligned_sides, _retrieval, _ACCURACY),
    "retrieval": Suite(
        "aligned files such as FLORES and NTREX, accuracy", find_retrieval, _aligned_sides, _retrieval, _ACCURACY
    ),
    "alignment": Suite(
        "Bleualign's documents and the like, strict and lax F1", find_documents, _aligned_sides, _alignment, _ALIGNMENT
    ),
    "speed": Suite("encoding speed", find_sentences, lambda text: [text], _speed, ("sentences_per_second",)),
}
