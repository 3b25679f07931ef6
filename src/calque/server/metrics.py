"""Counts and times for Prometheus.

Numbers in one array, whose places are all known from the start, so that counting is an addition. Where several workers
serve, each has its array in a file of a folder that all know, and whoever is asked adds them up.
"""

from __future__ import annotations

import mmap
import os
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily
from prometheus_client.registry import Collector

from ..atomic import writing

TYPE = b"text/plain; version=0.0.4; charset=utf-8"

_SECONDS = (0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10)
_DISCONNECTED = "disconnected"
STATUSES = (200, 400, 401, 403, 404, 405, 413, 415, 500, 503, _DISCONNECTED)
_TIMES = len(_SECONDS) + 2  # the buckets, what is beyond them, and the sum
_WIDTH = len(STATUSES) + _TIMES  # of a route
_SUFFIX = ".counts"

Numbers = npt.NDArray[np.float64]


class Metrics:
    """Only the thread of the event loop counts."""

    def __init__(self, labels: Sequence[str], folder: Path | None = None) -> None:
        self._labels = list(labels)
        self._begins = {label: 1 + at * _WIDTH for at, label in enumerate(labels)}  # 0 is for requests in flight
        self._statuses = {status: at for at, status in enumerate(STATUSES)}
        self._folder = folder
        size = 8 * (1 + len(labels) * _WIDTH)
        memory: Any = bytearray(size) if folder is None else _mapped(folder / f"{os.getpid()}{_SUFFIX}", size)
        self._counts = memoryview(memory).cast("d")

    def begin(self) -> None:
        self._counts[0] += 1

    def end(self) -> None:
        self._counts[0] -= 1

    def answered(self, label: str, status: int, seconds: float) -> None:
        counts, begin = self._counts, self._begins[label]
        counts[begin + self._statuses[status]] += 1
        times = begin + len(STATUSES)
        counts[times + bisect_left(_SECONDS, seconds)] += 1
        counts[times + len(_SECONDS) + 1] += seconds

    def disconnected(self, label: str) -> None:
        self._counts[self._begins[label] + self._statuses[_DISCONNECTED]] += 1

    def exposition(self) -> bytes:
        """Of all workers, whichever was asked; those that have died, too, but for what they were doing then."""
        registry = CollectorRegistry()
        registry.register(_Told(self._labels, self._sums()))
        return generate_latest(registry)

    def _sums(self) -> Numbers:
        if self._folder is None:
            return np.array(self._counts)
        sums = np.zeros(len(self._counts))
        for path in self._folder.glob(f"*{_SUFFIX}"):
            counts = np.fromfile(path)
            counts[0] *= _is_alive(int(path.stem))
            sums += counts
        return sums


class _Told(Collector):
    def __init__(self, labels: Sequence[str], numbers: Numbers) -> None:
        self._in_flight = numbers[0]
        self._rows = list(zip(labels, numbers[1:].reshape(len(labels), _WIDTH), strict=True))

    def collect(self) -> Iterator[Any]:
        requests = CounterMetricFamily("calque_requests", "Requests by answer.", labels=["route", "status"])
        seconds = HistogramMetricFamily("calque_request_seconds", "From headers to answer.", labels=["route"])
        for label, row in self._rows:
            for status, count in zip(STATUSES, row, strict=False):
                if count:
                    requests.add_metric([label, str(status)], count)
            times = row[len(STATUSES) :]
            if times[:-1].any():
                totals = np.cumsum(times[:-1])
                names = [*(repr(float(bound)) for bound in _SECONDS), "+Inf"]
                seconds.add_metric([label], list(zip(names, totals.tolist(), strict=True)), float(times[-1]))
        yield requests
        yield seconds
        yield GaugeMetricFamily("calque_requests_in_flight", "Requests being answered.", self._in_flight)


def _mapped(path: Path, size: int) -> mmap.mmap:
    with writing(path) as fresh:  # as a whole, or a worker that adds up might read it while it is empty
        fresh.write(bytes(size))
    with open(path, "r+b") as file:
        return mmap.mmap(file.fileno(), size)


def _is_alive(process: int) -> bool:
    if os.name == "nt":
        return True  # there, asking like this would end it
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True
