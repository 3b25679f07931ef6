"""Encoding speed: sentences a second, strings in, vectors out.

`first_time` is the first pass over the text. `sentences_per_second` is the median of several passes over the same text,
which a model that remembers words does faster.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from statistics import median

from ..threads import resolve_threads
from .result import Result
from .subject import Subject

MEASURES = ("sentences_per_second", "first_time")
PASSES = 5
_SAMPLE = 1000  # sentences that tell how many the passes can afford
_SECONDS_A_PASS = 3.0
_FEWEST = 256


def measure_speed(subject: Subject, name: str, texts: Sequence[str], threads: int | None = None) -> Result:
    """Time several passes over the sentences, or over as many of them as three seconds a pass allow.

    Up to a thousand of them are encoded before, to tell how many those are.
    """
    used = _affordable(subject, texts, threads)
    seconds = [_time(lambda: subject.encode(used, threads=threads, language=None)) for _ in range(PASSES)]
    rate = len(used) / median(seconds)
    notes = {"threads": resolve_threads(threads), "fastest": round(len(used) / min(seconds)), "passes": PASSES}
    rates = dict(zip(MEASURES, (rate, len(used) / seconds[0]), strict=True))
    return Result(name, len(used), subject.signature(name, len(used)), rates, {}, notes)


def _affordable(subject: Subject, texts: Sequence[str], threads: int | None) -> list[str]:
    sample = list(texts[:_SAMPLE])
    subject.encode(sample, threads=threads, language=None)  # what is done once is not what is measured
    rate = len(sample) / max(_time(lambda: subject.encode(sample, threads=threads, language=None)), 1e-9)
    return list(texts[: max(_FEWEST, int(rate * _SECONDS_A_PASS))])


def _time(work: Callable[[], object]) -> float:
    begin = time.perf_counter()
    work()
    return max(time.perf_counter() - begin, 1e-9)
