"""Encoding speed: sentences a second, strings in, vectors out.

`first_time` is of text that the encoder has not seen. `sentences_per_second` is the median of several passes over the
same text again, which a model that remembers words encodes faster.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from statistics import median

from ..threads import resolve_threads
from .result import Result
from .subject import Subject

MEASURES = ("first_time", "sentences_per_second")
PASSES = 5
_SAMPLE = 1000  # sentences that tell how many the passes can afford
_SECONDS_A_PASS = 3.0
_FEWEST = 256


def measure_speed(subject: Subject, name: str, texts: Sequence[str], threads: int | None = None) -> Result:
    """Time several passes over the sentences, or over as many of them as three seconds a pass allow.

    Up to a thousand, half of the sentences at the most, are encoded before, to tell how many those are. The first pass
    leaves them out.
    """
    sample = list(texts[-min(_SAMPLE, max(1, len(texts) // 2)) :])
    used = _affordable(subject, texts, sample, threads)
    new = used[: len(texts) - len(sample)] or used
    first = _time(lambda: subject.encode(new, threads=threads, language=None))
    seconds = [_time(lambda: subject.encode(used, threads=threads, language=None)) for _ in range(PASSES)]
    notes = {"threads": resolve_threads(threads), "fastest": round(len(used) / min(seconds)), "passes": PASSES}
    rates = dict(zip(MEASURES, (len(new) / first, len(used) / median(seconds)), strict=True))
    return Result(name, len(used), subject.signature(name, len(used)), rates, {}, notes)


def _affordable(subject: Subject, texts: Sequence[str], sample: list[str], threads: int | None) -> list[str]:
    subject.encode(sample, threads=threads, language=None)  # what is done once is not what is measured
    rate = len(sample) / max(_time(lambda: subject.encode(sample, threads=threads, language=None)), 1e-9)
    return list(texts[: max(_FEWEST, int(rate * _SECONDS_A_PASS))])


def _time(work: Callable[[], object]) -> float:
    begin = time.perf_counter()
    work()
    return max(time.perf_counter() - begin, 1e-9)
