"""What is done to a process, and when: each fault is drawn anew from all that the undisturbed run leaves room for."""

from __future__ import annotations

import random
import resource
import signal
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from process import Conditions, Needs, failing_reads

INTERPRETER = 32 << 20  # addresses, just above what Python takes to start


@dataclass(frozen=True)
class Around:
    """What a fault can be made of."""

    needs: Needs
    shim: Path
    folders: Sequence[Path]  # those that the work reads from


@dataclass(frozen=True)
class Fault:
    name: str
    draw: Callable[[random.Random, Around], Conditions]
    codes: tuple[int, ...]  # that a process which it strikes may end with, beside 0: below 0, of a signal
    says: str = ""  # a pattern that the error must hold


def _killed(draw: random.Random, around: Around) -> Conditions:
    return Conditions(signal=signal.SIGKILL, after=draw.uniform(0, around.needs.seconds))


def _terminated(draw: random.Random, around: Around) -> Conditions:
    return Conditions(signal=signal.SIGTERM, after=draw.uniform(0, around.needs.seconds))


def _large_files(draw: random.Random, around: Around) -> Conditions:
    """A limit on the size of files: writing beyond it fails as on a full disk, wherever it is."""
    return Conditions(limit=(resource.RLIMIT_FSIZE, draw.randrange(around.needs.largest_file)))


def _small_disk(draw: random.Random, around: Around) -> Conditions:
    return Conditions(room=draw.randrange(around.needs.all_files))


def _failing_disk(draw: random.Random, around: Around) -> Conditions:
    after = draw.randrange(around.needs.bytes_read)
    return Conditions(failing_reads(around.shim, around.folders, after))


def _little_memory(draw: random.Random, around: Around) -> Conditions:
    return Conditions(limit=(resource.RLIMIT_AS, draw.randrange(INTERPRETER, around.needs.memory)))


_FULL = "File too large|No space left on device"
FAULTS = {
    fault.name: fault
    for fault in (
        Fault("kill -9", _killed, (-signal.SIGKILL,)),
        Fault("SIGTERM", _terminated, (130, -signal.SIGTERM)),
        Fault("file too large", _large_files, (1,), _FULL),
        Fault("disk full", _small_disk, (1,), _FULL),
        Fault("read error", _failing_disk, (1,), "Input/output error"),
        Fault("out of memory", _little_memory, (1,), "not enough memory"),
    )
}
