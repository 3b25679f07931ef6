"""Semantic textual similarity: how well cosines agree with human judgements.

Sets of one year are reported in two ways. Papers give the mean of the sets' correlations; MTEB pools the pairs of a
year, whose sets then share one scale, and gives their correlation. The two differ by several points either way, so a
figure is comparable only with figures of its own kind.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from .bootstrap import Counts, Values, replicate
from .correlation import resampled_pearson, resampled_spearman
from .result import Result, mean_of
from .sets.sts import SimilaritySet
from .subject import Subject

POOLED = "pooled"


@dataclass(frozen=True)
class Judged:
    """Pairs with the model's cosines and the human scores."""

    cosines: Values
    gold: Values


def measure_similarity(subject: Subject, name: str, pairs: SimilaritySet, resamples: int) -> Result:
    return _correlation(subject, name, _judged(subject, pairs), resamples)


def measure_similarities(
    subject: Subject, suite: str, sets: Sequence[SimilaritySet], resamples: int, report: Callable[[str], None]
) -> tuple[list[Result], list[Result]]:
    """The sets, and beside them, if there are several, the pooled pairs of each year and the mean over the years."""
    results: list[Result] = []
    years: dict[str, list[Judged]] = {}
    for each in sets:
        report(each.name)
        judged = _judged(subject, each)
        results.append(_correlation(subject, f"{suite}:{each.name}", judged, resamples))
        if each.group:
            years.setdefault(each.group, []).append(judged)
    if len(results) < 2:
        return results, []
    pooled = [
        _correlation(subject, f"{suite}:{year}:{POOLED}", _together(members), resamples)
        for year, members in years.items()
    ]
    if len(pooled) > 1:
        pooled.append(mean_of(f"{suite}:mean:{POOLED}", pooled, subject.signature))
    return results, pooled


def _judged(subject: Subject, pairs: SimilaritySet) -> Judged:
    one, two = pairs.languages or (None, None)
    first, second = subject.unit_vectors(pairs.first, one), subject.unit_vectors(pairs.second, two)
    return Judged(np.einsum("ij,ij->i", first, second, dtype=np.float64), np.array(pairs.gold))


def _together(sets: Sequence[Judged]) -> Judged:
    return Judged(np.concatenate([each.cosines for each in sets]), np.concatenate([each.gold for each in sets]))


def _correlation(subject: Subject, name: str, judged: Judged, resamples: int) -> Result:
    def statistic(counts: Counts) -> dict[str, Values]:
        return {
            "pearson": 100 * resampled_pearson(judged.cosines, judged.gold, counts),
            "spearman": 100 * resampled_spearman(judged.cosines, judged.gold, counts),
        }

    size = len(judged.gold)
    values, replicates = replicate(statistic, name, size, resamples)
    return Result(name, size, subject.signature(name, size), values, replicates)
