"""One command: run under some conditions, or watched to learn what it takes."""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from place import Place

CALQUE = (sys.executable, "-c", "from calque.cli import main; main()")
SHIM_SOURCE = Path(__file__).with_name("read_errors.c")
_LOOKS = 0.005  # seconds between looks at a process that is measured
_HANGS = 120.0  # seconds that no run here may take, on however busy a machine


@dataclass(frozen=True)
class Conditions:
    """What is done to a process: nothing, unless something is said."""

    environment: dict[str, str] = field(default_factory=dict)
    limit: tuple[int, int] | None = None  # one of resource.RLIMIT_…, and its value
    signal: signal.Signals | None = None
    after: float = 0.0  # seconds until the signal
    room: int | None = None  # bytes left on a small disk of its own


@dataclass(frozen=True)
class Call:
    """Arguments of Calque, or of another program, and what it finds on its standard input."""

    arguments: tuple[str, ...]
    standard_input: Path = Path(os.devnull)
    program: tuple[str, ...] = CALQUE

    def __str__(self) -> str:
        return " ".join(self.arguments)


@dataclass(frozen=True)
class Ended:
    code: int  # below 0: of the signal
    said: str
    hung: bool = False

    @property
    def was_killed(self) -> bool:
        return self.code < 0

    @property
    def last_words(self) -> str:
        """What was said at the end, or where native code ended the process."""
        at = self.said.find("Fatal Python error")
        return self.said[-1000:] if at < 0 else self.said[at : at + 1000]


@dataclass(frozen=True)
class Needs:
    """What an undisturbed run takes, so that a fault can be put anywhere into it."""

    seconds: float
    largest_file: int
    all_files: int
    memory: int  # addresses, as RLIMIT_AS counts them
    bytes_read: int


def run(call: Call, place: Place, conditions: Conditions | None = None) -> Ended:
    conditions = conditions or Conditions()
    # A pipe, since a limit on the size of files would hold for a file of messages, too.
    process = _start(call, place, conditions, subprocess.PIPE)
    try:
        if conditions.signal is not None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(conditions.after)
            process.send_signal(conditions.signal)
        said = process.communicate(timeout=_HANGS)[1]
    except subprocess.TimeoutExpired:
        process.kill()
        return Ended(process.wait(), process.communicate()[1].decode("utf-8", "replace"), hung=True)
    return Ended(process.returncode, said.decode("utf-8", "replace"))


def measured(call: Call, place: Place, shim: Path, folders: Sequence[Path]) -> Needs:
    """
    Raises:
        RuntimeError: the command fails, so that there is nothing to disturb.
    """
    begun, sizes, memory = time.monotonic(), dict[int, int](), 0
    counted = place.folder / "counted"
    with tempfile.TemporaryFile() as errors:
        conditions = Conditions(failing_reads(shim, folders) | {"FAULT_COUNTED": str(counted)})
        process = _start(call, place, conditions, errors)
        while process.poll() is None:
            sizes |= {file: max(size, sizes.get(file, 0)) for file, size in _open_files(process.pid, place).items()}
            memory = max(memory, _addresses(process.pid))
            time.sleep(_LOOKS)
        if process.returncode:
            errors.seek(0)
            raise RuntimeError(f"{call} ended with {process.returncode}:\n{errors.read().decode()}")
    seconds = time.monotonic() - begun
    left = {path.stat().st_ino: path.stat().st_size for path in place.out.rglob("*") if path.is_file()}
    sizes |= left  # some are written between two looks
    return Needs(seconds, max(sizes.values()), sum(sizes.values()), memory, int(counted.read_text()))


def failing_reads(shim: Path, folders: Sequence[Path], after: int | None = None) -> dict[str, str]:
    """The environment in which files below some folders can be read so far."""
    chosen = {"LD_PRELOAD": str(shim), "FAULT_FOLDERS": ":".join(str(folder.resolve()) for folder in folders)}
    return chosen | ({} if after is None else {"FAULT_READ": str(after)})


def compile_shim(to: Path) -> Path:
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", str(to), str(SHIM_SOURCE), "-ldl"], check=True)
    return to


def _start(call: Call, place: Place, conditions: Conditions, errors: IO[bytes] | int) -> subprocess.Popen[bytes]:
    limit = conditions.limit
    with open(call.standard_input, "rb") as given:
        return subprocess.Popen(
            [*call.program, *call.arguments],
            cwd=place.out,
            env=place.environment() | conditions.environment,
            stdin=given,
            stdout=subprocess.DEVNULL,
            stderr=errors,
            preexec_fn=(lambda: resource.setrlimit(limit[0], (limit[1], limit[1]))) if limit else None,
        )


def _open_files(process: int, place: Place) -> dict[int, int]:
    """The sizes of the files below the place that it has open, named or not, by what tells them apart."""
    sizes = {}
    with contextlib.suppress(OSError):
        for link in Path(f"/proc/{process}/fd").iterdir():
            with contextlib.suppress(OSError):
                if os.readlink(link).startswith(str(place.folder)):
                    state = link.stat()
                    sizes[state.st_ino] = state.st_size
    return sizes


def _addresses(process: int) -> int:
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{process}/status").read_text().splitlines():
            if line.startswith("VmPeak:"):
                return 1024 * int(line.split()[1])
    return 0
