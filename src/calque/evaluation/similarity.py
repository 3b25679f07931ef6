"""Semantic textual similarity: how well cosines agree with human judgements."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .bootstrap import Counts, Values, replicate
from .correlation import resampled_pearson, resampled_spearman
from .result import Result, mean_of
from .sets.sts import SimilaritySet
from .subject import Subject


def measure_similarity(subject: Subject, name: str, pairs: SimilaritySet, resamples: int) -> Result:
    one, two = pairs.languages or (None, None)
    first, second = subject.unit_vectors(pairs.first, one), subject.unit_vectors(pairs.second, two)
    cosines = np.einsum("ij,ij->i", first, second, dtype=np.float64)
    gold = np.array(pairs.gold)

    def statistic(counts: Counts) -> dict[str, Values]:
        return {
            "pearson": 100 * resampled_pearson(cosines, gold, counts),
            "spearman": 100 * resampled_spearman(cosines, gold, counts),
        }

    values, replicates = replicate(statistic, name, len(gold), resamples)
    return Result(name, len(gold), subject.signature(name, len(gold)), values, replicates)


def group_means(subject: Subject, suite: str, sets: Sequence[SimilaritySet], results: Sequence[Result]) -> list[Result]:
    """The mean of each group's sets (a year's), and of all sets: the figure that papers report."""
    groups: dict[str, list[Result]] = {}
    for each, result in zip(sets, results, strict=True):
        groups.setdefault(each.group, []).append(result)
    means = []
    if len(groups) > 1:
        means = [_mean(subject, f"{suite}:{group}", members) for group, members in groups.items() if group]
    if len(results) > 1:
        means.append(_mean(subject, f"{suite}:mean", results))
    return means


def _mean(subject: Subject, name: str, results: Sequence[Result]) -> Result:
    return mean_of(name, subject.signature(name, sum(result.n for result in results)), results)
