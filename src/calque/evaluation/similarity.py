"""Semantic textual similarity: how well cosines agree with human judgements."""

from __future__ import annotations

import numpy as np

from .bootstrap import Counts, Values, replicate
from .correlation import resampled_pearson, resampled_spearman
from .result import Result
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
