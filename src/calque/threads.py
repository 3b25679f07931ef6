"""How many threads to use."""

from __future__ import annotations

import os

from .errors import UsageError


def resolve_threads(threads: int | None) -> int:
    """The number asked for, or else one for each core this process may use."""
    if threads is None:
        try:
            return len(os.sched_getaffinity(0))
        except AttributeError:  # not on Linux
            return os.cpu_count() or 1
    if threads < 1:
        raise UsageError(f"threads: expected 1 or more, got {threads}", hint="leave it out to use all cores")
    return threads
