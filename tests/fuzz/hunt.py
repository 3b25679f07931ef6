"""One target tried with damaged samples for some seconds of processor time, in a process that may die of it."""

from __future__ import annotations

import hashlib
import json
import mmap
import os
import random
import re
import resource
import signal
import sys
import time
import traceback
from pathlib import Path
from types import TracebackType

from target import Trial

LONGEST_ATTEMPT = 20.0  # seconds of processor time; whoever takes longer is ended by the system (SIGPROF)
MOST_MEMORY = 1 << 30  # bytes more than before
_LONGEST_INPUT = 1 << 24
_MOST_KEPT = 500  # inputs beside the seeds that led somewhere new
_OURS = re.compile(r"[/\\](calque|fuzz)[/\\]")


class Trying:
    """The input under trial lies in a mapped file, which outlives the process."""

    def __init__(self, path: Path) -> None:
        path.write_bytes(bytes(_LONGEST_INPUT + 8))
        with open(path, "r+b") as file:
            self._memory = mmap.mmap(file.fileno(), 0)

    def put(self, content: bytes) -> None:
        self._memory[:8] = len(content).to_bytes(8, "little")
        self._memory[8 : 8 + len(content)] = content

    @staticmethod
    def read(path: Path) -> bytes:
        content = path.read_bytes()
        return content[8 : 8 + int.from_bytes(content[:8], "little")]


def hunt(name: str, trial: Trial, seconds: float, seed: int, trying: Trying, findings: Path) -> dict[str, object]:
    """Counts, and a line for each place that let something escape; the inputs that did are kept in `findings`."""
    for whole in trial.seeds:
        trying.put(whole)
        trial.attempt(whole)
    pool, places, escaped = list(trial.seeds[:1]), set[str](), dict[str, str]()
    tried = refused = 0
    chance = random.Random(seed)
    end = time.process_time() + seconds
    with _bounded():
        while time.process_time() < end:
            content = trial.mutate(chance.choice(pool if chance.random() < 0.5 else trial.seeds), chance)[
                :_LONGEST_INPUT
            ]
            trying.put(content)
            signal.setitimer(signal.ITIMER_PROF, LONGEST_ATTEMPT)
            tried += 1
            try:
                trial.attempt(content)
                place = ""
            except trial.refusals as problem:
                refused += 1
                place = _place(problem)
            except BaseException as problem:
                place = _place(problem)
                if place not in escaped:
                    escaped[place] = _keep(findings, name, content, "".join(traceback.format_exception(problem)))
                if isinstance(problem, KeyboardInterrupt):
                    raise
            if place not in places and len(pool) < _MOST_KEPT:  # damage that gets somewhere new is worth more damage
                places.add(place)
                pool.append(content)
            if tried % 100 == 0 and _memory() > MOST_MEMORY:
                escaped.setdefault("memory", _keep(findings, name, content, f"{_memory():,} bytes of memory"))
    signal.setitimer(signal.ITIMER_PROF, 0)
    return {"target": name, "tried": tried, "refused": refused, "places": len(places), "escaped": escaped}


def keep(findings: Path, name: str, content: bytes, why: str) -> str:
    """The name of the kept input; why it is one is written beside it."""
    findings.mkdir(parents=True, exist_ok=True)
    kept = findings / f"{name}-{hashlib.sha256(content).hexdigest()[:8]}"
    kept.write_bytes(content)
    kept.with_suffix(".txt").write_text(why, encoding="utf-8", errors="backslashreplace")
    return str(kept)


_keep = keep


def _place(problem: BaseException) -> str:
    """Where in our own code it came from, the last few calls: the same mistake shows itself in many inputs."""
    lines = []
    at: TracebackType | None = problem.__traceback__
    while at is not None:
        if _OURS.search(at.tb_frame.f_code.co_filename):
            lines.append(f"{Path(at.tb_frame.f_code.co_filename).name}:{at.tb_lineno}")
        at = at.tb_next
    return f"{type(problem).__name__} {' '.join(lines[-3:])}"


def _memory() -> int:
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit - _BEFORE


_BEFORE = 0


class _bounded:  # noqa: N801 (a context, used as one)
    """No memory beyond a bound; a sanitizer, which reserves terabytes, is left to measure what is held in the end."""

    def __enter__(self) -> None:
        global _BEFORE
        _BEFORE = 0
        _BEFORE = _memory()
        self._limits = resource.getrlimit(resource.RLIMIT_DATA)
        if "asan" not in os.environ.get("LD_PRELOAD", "") and sys.platform == "linux":
            used = next(
                int(line.split()[1]) << 10
                for line in Path("/proc/self/status").read_text().splitlines()
                if line.startswith("VmData:")
            )
            resource.setrlimit(resource.RLIMIT_DATA, (used + 2 * MOST_MEMORY, self._limits[1]))

    def __exit__(self, *problem: object) -> None:
        resource.setrlimit(resource.RLIMIT_DATA, self._limits)


def say(message: dict[str, object]) -> None:
    print(json.dumps(message), flush=True)
