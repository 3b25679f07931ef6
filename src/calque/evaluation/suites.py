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
from .similarity import measure_similarities
from .speed import MEASURES as MEASURES_OF_SPEED
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


def _set_by_set(measure: Callable[[Subject, str, Any, int], Result]) -> _Measure:
    """Each set on its own, and the mean of all."""

    def measure_all(
        suite: str, subject: Subject, sets: Sequence[Any], resamples: int, report: Report, standing: Standing = _NONE
    ) -> Measured:
        results = []
        for each in sets:
            report(each.name)
            results.append(measure(subject, f"{suite}:{each.name}", each, resamples))
        return Measured(*_with_tiers(suite, subject, sets, results, standing))

    return measure_all


def _similarity(
    suite: str, subject: Subject, sets: Sequence[Any], resamples: int, report: Report, standing: Standing = _NONE
) -> Measured:
    """Each set; each year's pooled pairs, as MTEB has them; the means of a year's sets and of all, as papers have."""
    results, pooled = measure_similarities(subject, suite, sets, resamples, report)
    noted, averaged = _with_tiers(suite, subject, sets, results, standing, [each.group for each in sets])
    return Measured(noted, [*pooled, *averaged])


def _with_tiers(
    suite: str,
    subject: Subject,
    sets: Sequence[Any],
    results: Sequence[Result],
    standing: Standing,
    groups: Sequence[str] | None = None,
) -> tuple[list[Result], list[Result]]:
    """The results, each with its language's tier, and the means over those that the model was trained on."""
    own = [tier_of(subject, each) for each in sets]
    noted = [
        replace(result, notes={**result.notes, "tier": tier}) if tier else result
        for result, tier in zip(results, own, strict=True)
    ]
    tiers = [standing.get(each.name) for each in sets]
    return noted, means(suite, subject, results, groups or [""] * len(sets), tiers)


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


_retrieval = _set_by_set(measure_retrieval)
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
    "speed": Suite("encoding speed", find_sentences, lambda text: [text], _speed, MEASURES_OF_SPEED),
}
