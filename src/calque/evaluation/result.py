"""A score with its signature and its interval."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from .bootstrap import Interval, interval

Values = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Result:
    """What one model reached on one set: measures such as pearson, in points of 100 where they are shares."""

    name: str  # sts17:track5.en-en
    n: int
    signature: str
    values: Mapping[str, float]
    # By measure, one a resample: thousands of numbers that nobody wants to see in an interpreter.
    replicates: Mapping[str, Values] = field(default_factory=dict, repr=False)
    notes: Mapping[str, Any] = field(default_factory=dict)  # a threshold, and where it comes from

    def interval(self, measure: str) -> Interval | None:
        return interval(self.replicates.get(measure, np.zeros(0)))

    @property
    def intervals(self) -> dict[str, Interval]:
        found = {measure: self.interval(measure) for measure in self.values}
        return {measure: each for measure, each in found.items() if each is not None}

    def as_dict(self) -> dict[str, Any]:
        intervals = {measure: [round(end, 2) for end in each] for measure, each in self.intervals.items()}
        values = {measure: round(value, 2) for measure, value in self.values.items()}
        described = {"name": self.name, "n": self.n, "signature": self.signature, **values, **self.notes}
        return described | ({"intervals": intervals} if intervals else {})


def mean_of(name: str, results: Sequence[Result], signature: Callable[[str, int], str]) -> Result:
    """The mean of sets, each counting alike however large it is; its interval resamples within each set."""
    measures, n = results[0].values, sum(result.n for result in results)
    return Result(
        name,
        n,
        signature(name, n),
        {measure: float(np.mean([result.values[measure] for result in results])) for measure in measures},
        {measure: np.mean([result.replicates[measure] for result in results], axis=0) for measure in measures},
        {"sets": len(results)},
    )
