"""Retrieval on aligned text: how often a sentence's translation is its nearest neighbour, both ways."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ..neighbours.matching import best_neighbours
from ..neighbours.nearest import nearest
from .bootstrap import Counts, Values, replicate
from .result import Result
from .sets.aligned import AlignedSet
from .subject import Subject

NEIGHBOURS = 4


def measure_retrieval(subject: Subject, name: str, data: AlignedSet, resamples: int) -> Result:
    """Accuracy by cosine, both ways and their mean; and the mean by ratio margin, which is 100 − xsim."""
    one, two = data.languages or (None, None)
    source, target = subject.unit_vectors(data.source, one), subject.unit_vectors(data.target, two)
    found = nearest(source, target, NEIGHBOURS)
    forward, backward = (_is_own(each.index[:, 0]) for each in (found.forward, found.backward))
    by_margin = [_is_own(best_neighbours(way, "ratio").target) for way in (found, found.turned)]
    measures = {
        "accuracy": (forward + backward) / 2,
        "forward": forward,
        "backward": backward,
        "margin_accuracy": (by_margin[0] + by_margin[1]) / 2,
    }

    def statistic(counts: Counts) -> dict[str, Values]:
        return {measure: 100 * (counts @ flags) / len(flags) for measure, flags in measures.items()}

    n = len(data.source)
    values, replicates = replicate(statistic, name, n, resamples)
    return Result(name, n, subject.signature(name, n), values, replicates)


def _is_own(index: npt.NDArray[np.integer[Any]]) -> Values:
    own: Values = (index == np.arange(len(index))).astype(np.float64)
    return own
