"""Retrieval on aligned text: how often a sentence's translation is its nearest neighbour, both ways."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ..neighbours.margin import Margin, margin_score
from ..neighbours.nearest import BothWays, Neighbours, nearest
from .bootstrap import Counts, Values, replicate
from .result import Result, mean_of
from .sets.aligned import AlignedSet
from .subject import Subject

NEIGHBOURS = 4


def measure_retrieval(subject: Subject, name: str, data: AlignedSet, resamples: int) -> Result:
    """Accuracy by cosine, both ways and their mean; and the mean by ratio margin, which is 100 − xsim."""
    one, two = data.languages or (None, None)
    source, target = subject.unit_vectors(data.source, one), subject.unit_vectors(data.target, two)
    found = nearest(source, target, NEIGHBOURS)
    forward, backward = (_is_own(each.index[:, 0]) for each in found)
    by_margin = (_is_own(_best(found, "ratio")) + _is_own(_best(BothWays(found[1], found[0]), "ratio"))) / 2
    measures = {
        "accuracy": (forward + backward) / 2,
        "forward": forward,
        "backward": backward,
        "margin_accuracy": by_margin,
    }

    def statistic(counts: Counts) -> dict[str, Values]:
        return {measure: 100 * (counts @ flags) / len(flags) for measure, flags in measures.items()}

    n = len(data.source)
    values, replicates = replicate(statistic, name, n, resamples)
    return Result(name, n, subject.signature(name, n), values, replicates)


def retrieval_mean(subject: Subject, suite: str, results: Sequence[Result]) -> list[Result]:
    if len(results) < 2:
        return []
    name = f"{suite}:mean"
    return [mean_of(name, subject.signature(name, sum(result.n for result in results)), results)]


def _is_own(found: npt.NDArray[np.int32]) -> Values:
    return (found == np.arange(len(found))).astype(np.float64)


def _best(found: BothWays, margin: Margin) -> npt.NDArray[np.int32]:
    """The neighbour with the highest margin score of each vector of the first side."""
    neighbours: Neighbours = found.forward
    scores = margin_score(
        neighbours.cosine, neighbours.mean[:, None], found.backward.mean[neighbours.index], margin
    )
    best = np.where(neighbours.index >= 0, scores, -np.inf).argmax(axis=1)
    chosen: npt.NDArray[np.int32] = neighbours.index[np.arange(len(best)), best]
    return chosen
