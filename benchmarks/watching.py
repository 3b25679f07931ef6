"""How much memory a process and its children hold while they work, looked at once a second."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

_PAGE = os.sysconf("SC_PAGE_SIZE")
SHARES = (0.01, 0.1, 0.5, 1.0)


class Sample(NamedTuple):
    seconds: float
    done: float  # lines, requests, or whatever is counted
    resident: int  # bytes


class Watching:
    """A context in which `samples` grows by one a second; `done` is asked how far the work is."""

    def __init__(self, process: int, done: Callable[[], float], seconds: float = 1.0) -> None:
        self._process, self._done, self._pause = process, done, seconds
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._begun = time.monotonic()
        self.samples: list[Sample] = []

    def __enter__(self) -> Watching:
        self._thread.start()
        return self

    def __exit__(self, *problem: object) -> None:
        self._stop.set()
        self._thread.join()

    def _look(self) -> None:
        while not self._stop.wait(self._pause):
            held = sum(map(resident, family(self._process)))
            if held:
                self.samples.append(Sample(time.monotonic() - self._begun, self._done(), held))


def family(process: int) -> list[int]:
    """It and its children, and theirs."""
    found = [process]
    for each in found:
        for listed in Path(f"/proc/{each}/task").glob("*/children"):
            try:
                found += map(int, listed.read_text().split())
            except OSError:  # it has just ended
                continue
    return found


def resident(process: int) -> int:
    try:
        return int(Path(f"/proc/{process}/statm").read_text().split()[1]) * _PAGE
    except OSError:
        return 0


def at_shares(samples: Sequence[Sample], total: float) -> list[str]:
    """Megabytes when so much was done, for a row of a table."""
    reached = [next((each for each in samples if each.done >= share * total), samples[-1]) for share in SHARES]
    return [f"{each.resident / 1e6:,.0f}" for each in reached]


def slope(samples: Sequence[Sample], per: float) -> str:
    """Megabytes that were added for each `per` of what was counted, from a tenth of the work on: a straight line."""
    settled = [each for each in samples if each.done >= samples[-1].done / 10]
    count = len(settled)
    middle = sum(each.done for each in settled) / count
    spread = sum((each.done - middle) ** 2 for each in settled)
    rise = sum((each.done - middle) * each.resident for each in settled)
    return f"{rise / spread * per / 1e6:+.2f}" if spread else "none"
