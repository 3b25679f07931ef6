"""The neighbours of two piles, exactly, by shards: what is done is saved, and goes on where it stopped."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from ..errors import UsageError
from ..neighbours.nearest import BothWays, look_through
from .pile import Pile
from .state import STATE, how_far, read_state, save_state

SAVE_SECONDS = 60.0
_SHARD_COSINES = 1 << 33  # ten seconds' work: how long a stop may have to wait
_ROWS = 512
_FIXED = 600 << 20  # bytes: interpreter, libraries, the model's words, one block of cosines, a panel of targets
_A_SENTENCE = 350  # bytes while neighbours are scored and matched, measured on a million and a million


class Progress(NamedTuple):
    """Cosines looked at, of all, and those that were looked at before this run began."""

    done: int
    total: int
    before: int


class Conditions(NamedTuple):
    """Where to work and with how much; who hears of it, and who may stop it."""

    folder: Path
    memory: int
    threads: int
    watch: Callable[[Progress], None] = lambda progress: None
    stop_asked: Callable[[], bool] = bool


def shard_rows(source: Pile, target: Pile, memory: int) -> int:
    """How many sources to hold at once.

    Raises:
        UsageError: what must be kept of each sentence does not fit the memory.
    """
    kept = _FIXED + _A_SENTENCE * (len(source) + len(target))
    a_row = 4 * source.summary.dimension
    least = kept + _ROWS * a_row
    if memory < least:
        raise UsageError(
            f"{len(source):,} and {len(target):,} sentences take {least / 1e9:.1f} GB at the least, "
            f"and {memory / 1e9:.1f} GB are allowed",
            hint="allow more with --memory, or mine parts of the text one after another",
        )
    fitting = min((memory - kept) // a_row, _SHARD_COSINES // max(len(target), 1))
    return int(max(fitting // _ROWS, 1)) * _ROWS


def find_neighbours(source: Pile, target: Pile, k: int, work: Conditions) -> BothWays | None:
    """The k nearest of both sides; None if it was stopped, after its state has been saved."""
    path, rows = work.folder / STATE, shard_rows(source, target, work.memory)
    work.folder.mkdir(exist_ok=True)
    found, about = read_state(path, len(source), len(target), k)
    first = how_far(path, about, "rows", len(source))
    total = len(source) * len(target)
    before = done = first * len(target)

    def count(cosines: int) -> None:
        nonlocal done
        done += cosines
        work.watch(Progress(done, total, before))

    saved = time.monotonic()
    while first < len(source):
        look_through(found, source.vectors[first : first + rows], first, target.vectors, work.threads, count)
        first = min(first + rows, len(source))
        stopped = work.stop_asked() and first < len(source)
        if stopped or first == len(source) or time.monotonic() - saved > SAVE_SECONDS:
            save_state(path, found, {"rows": first})
            saved = time.monotonic()
        if stopped:
            return None
    return found
