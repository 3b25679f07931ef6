"""Counts and times for Prometheus. Where several workers serve, each writes its own into one folder of all."""

from __future__ import annotations

import os
import re

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest, multiprocess
from prometheus_client.registry import REGISTRY

from .run import METRICS_FOLDER

TYPE = b"text/plain; version=0.0.4; charset=utf-8"

_SECONDS = (0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10)

REQUESTS = Counter("calque_requests", "Requests that were answered.", ["route", "status"])
SECONDS = Histogram("calque_request_seconds", "From a request's headers to its answer.", ["route"], buckets=_SECONDS)
IN_FLIGHT = Gauge("calque_requests_in_flight", "Requests being answered.", multiprocess_mode="livesum")


def exposition() -> bytes:
    """Of all workers, whichever was asked."""
    folder = os.environ.get(METRICS_FOLDER)
    if folder is None:
        return generate_latest(REGISTRY)
    _forget_the_dead(folder)
    registry = CollectorRegistry()
    multiprocess.MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    return generate_latest(registry)


def _forget_the_dead(folder: str) -> None:
    """What a worker was doing when it died is not being done any more."""
    for name in os.listdir(folder):
        found = re.fullmatch(r"gauge_live\w+_(\d+)\.db", name)
        if found and not _is_alive(int(found[1])):
            multiprocess.mark_process_dead(int(found[1]), folder)  # type: ignore[no-untyped-call]


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True
