"""How sure a score is: the same statistic over a thousand resamples of the same data.

The draws depend on the set's name and size alone, so two models are measured on the very same resamples, and the
difference of their replicates is a paired test.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import xxhash

Values = npt.NDArray[np.float64]
Counts = npt.NDArray[np.float64]
Statistic = Callable[[Counts], Mapping[str, Values]]  # (resamples, n) counts to (resamples,) values, by measure

RESAMPLES = 1000
_NUMBERS_AT_ONCE = 1 << 22


class Interval(NamedTuple):
    low: float
    high: float


def interval(replicates: Values, confidence: float = 0.95) -> Interval | None:
    """The percentile interval; None without replicates."""
    if not len(replicates):
        return None
    tail = 100 * (1 - confidence) / 2
    low, high = np.percentile(replicates, [tail, 100 - tail])
    return Interval(float(low), float(high))


def replicate(statistic: Statistic, name: str, n: int, resamples: int) -> tuple[dict[str, float], dict[str, Values]]:
    """The statistic of the data itself, and of each resample."""
    values = {measure: float(value[0]) for measure, value in statistic(np.ones((1, n))).items()}
    parts = [statistic(counts) for counts in _draws(name, n, resamples)]
    none = np.zeros(0)
    return values, {measure: np.concatenate([part[measure] for part in parts] or [none]) for measure in values}


class Difference(NamedTuple):
    """How much better the second is than the first."""

    value: float
    low: float
    high: float
    p: float  # how probable so large a difference, either way, is if there is none


def difference(first: Values, second: Values, value: float) -> Difference | None:
    """A paired bootstrap test on replicates of the same resamples; None without any."""
    if not len(first) or len(first) != len(second):
        return None
    apart = second - first
    low, high = interval(apart) or Interval(0, 0)
    # One is added so that no finite number of resamples ever proves anything beyond doubt.
    worse, better = (1 + np.sum(apart <= 0)) / (1 + len(apart)), (1 + np.sum(apart >= 0)) / (1 + len(apart))
    return Difference(value, low, high, float(min(1.0, 2 * min(worse, better))))


def _draws(name: str, n: int, resamples: int) -> Iterator[Counts]:
    seed = xxhash.xxh3_64_intdigest(f"{name}|{n}".encode("utf-8", "surrogatepass"))  # a file's name may be any bytes
    generator = np.random.default_rng(seed)
    at_once = max(1, _NUMBERS_AT_ONCE // max(n, 1))
    for begin in range(0, resamples, at_once):
        size = min(at_once, resamples - begin)
        drawn = generator.integers(n, size=(size, n)) + n * np.arange(size)[:, None]
        yield np.bincount(drawn.ravel(), minlength=size * n).reshape(size, n).astype(np.float64)
