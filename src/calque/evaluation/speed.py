"""Encoding speed: sentences a second, strings in, vectors out, as a user would see it."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from statistics import median

from ..threads import resolve_threads
from .result import Result
from .subject import Subject

PASSES = 5
_SAMPLE = 1000  # sentences that tell how many the passes can afford
_SECONDS_A_PASS = 3.0
_FEWEST = 256


def measure_speed(subject: Subject, name: str, texts: Sequence[str], threads: int | None = None) -> Result:
    """The median of several passes over the same sentences, or over so many of them as three seconds allow."""
    used = _affordable(subject, texts, threads)
    seconds = [_time(lambda: subject.encode(used, threads=threads, language=None)) for _ in range(PASSES)]
    rate = len(used) / median(seconds)
    notes = {"threads": resolve_threads(threads), "fastest": round(len(used) / min(seconds)), "passes": PASSES}
    return Result(name, len(used), subject.signature(name, len(used)), {"sentences_per_second": rate}, {}, notes)


def _affordable(subject: Subject, texts: Sequence[str], threads: int | None) -> list[str]:
    sample = list(texts[:_SAMPLE])
    subject.encode(sample, threads=threads, language=None)  # what is done once is not what is measured
    rate = len(sample) / max(_time(lambda: subject.encode(sample, threads=threads, language=None)), 1e-9)
    return list(texts[: max(_FEWEST, int(rate * _SECONDS_A_PASS))])


def _time(work: Callable[[], object]) -> float:
    begin = time.perf_counter()
    work()
    return max(time.perf_counter() - begin, 1e-9)
