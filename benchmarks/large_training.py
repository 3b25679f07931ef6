"""Training on more than fits in memory: how long it takes to start, how much memory it takes, and whether it is slower.

Real text, repeated to 50 million pairs. A small corpus, one copy of the text, is trained on in a process of its own by
the same settings; the two take turns, so that whatever else the machine does falls on both.
"""

from __future__ import annotations

import argparse
import contextlib
import lzma
import os
import re
import resource
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from common import bitext_path, machine, print_table

import calque
from calque.errors import Stopped
from calque.tasks.train import Watcher
from calque.training import Progress, TrainingConfig, large_corpus

LANGUAGES = ("es", "de", "fr", "it", "nl", "pt")
LARGE_TURN, SMALL_TURN = 40.0, 20.0  # seconds
MEGA_BATCH = TrainingConfig.of().mega_batch


@dataclass
class Stage:
    """The most memory that was seen in a stage, in GB, and how long it took."""

    seconds: float = 0.0
    resident: float = 0.0
    anonymous: float = 0.0  # without pages of files, which the system may take back at any time


@dataclass
class Memory:
    """Looks at this process every half second; the kernel keeps no maximum of each kind."""

    stages: dict[str, Stage] = field(default_factory=dict)
    name: str = "vocabulary"

    def watch(self) -> None:
        threading.Thread(target=self._look, daemon=True).start()

    def _look(self) -> None:
        while True:
            status = Path("/proc/self/status").read_text()
            resident, anonymous = (
                int(re.findall(rf"{name}:\s*(\d+) kB", status)[0]) / 1e6 for name in ("VmRSS", "RssAnon")
            )
            stage = self.stages.setdefault(self.name, Stage())
            stage.resident, stage.anonymous = max(stage.resident, resident), max(stage.anonymous, anonymous)
            time.sleep(0.5)


class Turn:
    """Pairs and seconds of steady training: mega-batches of full size."""

    def __init__(self) -> None:
        self.pairs, self.seconds, self.last = 0.0, 0.0, time.monotonic()

    def add(self, pairs: float) -> None:
        now = time.monotonic()
        self.pairs, self.seconds, self.last = self.pairs + pairs, self.seconds + now - self.last, now

    @property
    def speed(self) -> float:
        return self.pairs / max(self.seconds, 1e-9)


class Steps:
    """How many pairs a report of progress is about, to within a mini-batch."""

    def __init__(self) -> None:
        self._before = 0

    def pairs(self, progress: Progress) -> int:
        steps, self._before = progress.step - self._before, progress.step
        return steps * TrainingConfig.of().batch_size


def train_in_turns(files: list[str], out: Path) -> None:
    """The small corpus: a turn for each line that comes in, whose speed is a line that goes out."""
    turn: Turn | None = None
    steps = Steps()

    def progress(now: Progress) -> None:
        nonlocal turn
        pairs = steps.pairs(now)
        if now.mega_batch < MEGA_BATCH and turn is None:
            return
        if turn is not None:
            turn.add(pairs)
        if turn is None or turn.seconds > SMALL_TURN:
            print(turn.speed if turn else "ready", flush=True)
            if not sys.stdin.readline():
                raise SystemExit
            turn = Turn()

    calque.train(files, out, epochs=1000, decay=False, watcher=Watcher(progress=progress, checkpoint_minutes=1e9))


class Small:
    def __init__(self, files: list[str], out: Path) -> None:
        command = [sys.executable, __file__, "--in-turns", str(out), *files]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self._line()

    def turn(self) -> float:
        assert self._process.stdin
        self._process.stdin.write("go\n")
        self._process.stdin.flush()
        return float(self._line())

    def _line(self) -> str:
        assert self._process.stdout
        return self._process.stdout.readline().strip()

    def end(self) -> None:
        self._process.communicate()


@dataclass
class Large:
    """The run that is measured: half of it, a stop, and the rest."""

    out: Path
    small: Callable[[], float]
    memory: Memory = field(default_factory=Memory)
    turns: list[tuple[float, float]] = field(default_factory=list)  # pairs a second: large, small
    begun: float = field(default_factory=time.monotonic)
    stopped: bool = False

    def run(self, files: list[str]) -> None:
        self.memory.watch()
        with contextlib.suppress(Stopped):
            calque.train(files, self.out, epochs=1, watcher=self._watcher())
        self.stopped = True
        self._stage("resuming")
        calque.resume(self.out, watcher=self._watcher())
        self._stage("end")

    def _watcher(self) -> Watcher:
        turn, steps = Turn(), Steps()
        first = True

        def progress(now: Progress) -> None:
            nonlocal turn, first
            pairs = steps.pairs(now)
            if first:
                self._stage("training, resumed" if self.stopped else "training")
            if not first and now.mega_batch == MEGA_BATCH:
                turn.add(pairs)
            else:
                turn = Turn()
            first = False
            if turn.seconds > LARGE_TURN:
                waiting = time.monotonic()
                self.turns.append((turn.speed, self.small()))
                self.begun += time.monotonic() - waiting
                turn = Turn()
            if not self.stopped and now.step > now.steps / 2:
                os.kill(os.getpid(), signal.SIGTERM)

        def stage(name: str) -> None:
            if not self.stopped and name != "training":
                self._stage(name)
            elif not self.stopped:
                self._stage("first mega-batch")

        return Watcher(stage=stage, progress=progress, checkpoint_minutes=2)

    def _stage(self, name: str) -> None:
        """Ends the stage that was, and begins another."""
        now = time.monotonic()
        self.memory.stages.setdefault(self.memory.name, Stage()).seconds = now - self.begun
        self.memory.name, self.begun = name, now


def copies(folder: Path, pairs: int) -> tuple[list[str], list[str], int]:
    """One copy of the text, many links to it, and how many pairs these are."""
    once = []
    lines = 0
    for language in LANGUAGES:
        path = folder / f"europarl.en-{language}.tsv"
        with lzma.open(bitext_path(f"europarl.en-{language}")) as packed, open(path, "wb") as file:
            shutil.copyfileobj(packed, file, 1 << 20)
        with open(path, "rb") as file:
            lines += sum(1 for _ in file)
        once.append(str(path))
    many = []
    for number in range(-(-pairs // lines)):
        for language, path in zip(LANGUAGES, once, strict=True):
            link = folder / f"copy{number}.en-{language}.tsv"
            link.symlink_to(path)
            many.append(str(link))
    return once, many, len(many) // len(once) * lines


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--pairs", type=int, default=50_000_000)
    arguments.add_argument("--folder", type=Path, help="for 7 GB at 50 million pairs; a temporary one")
    arguments.add_argument("--window", type=int, default=large_corpus.MOST_BYTES, help="bytes of ids in memory")
    arguments.add_argument("--in-turns", nargs="+", help=argparse.SUPPRESS)
    asked = arguments.parse_args()
    if asked.in_turns:
        train_in_turns(asked.in_turns[1:], Path(asked.in_turns[0]))
        return
    large_corpus.MOST_BYTES = asked.window
    with tempfile.TemporaryDirectory(dir=asked.folder) as name:
        folder = Path(name)
        once, many, pairs = copies(folder, asked.pairs)
        small = Small(once, folder / "small")
        large = Large(folder / "large", small.turn)
        large.run(many)
        small.end()
        left = [path.name for path in (folder / "large").iterdir() if path.suffix in (".bin", ".unfinished")]
    show(large, pairs, left)


def show(large: Large, pairs: int, left: list[str]) -> None:
    stages = [
        [name, f"{stage.seconds:,.0f} s", f"{stage.resident:.2f} GB", f"{stage.anonymous:.2f} GB"]
        for name, stage in large.memory.stages.items()
        if name != "end"
    ]
    print(machine())
    print_table(f"{pairs:,} pairs, 300 dimensions, one epoch", ["", "time", "peak resident", "anonymous"], stages)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print(f"\nThe most resident at any moment, as the kernel counts: {peak:.2f} GB. Left behind: {left or 'nothing'}.")
    fast, slow = ([turn[which] for turn in large.turns] for which in (0, 1))
    ratios = [one / other for one, other in large.turns]
    rows = [
        ["large", f"{statistics.mean(fast):,.0f}", f"{min(fast):,.0f} to {max(fast):,.0f}"],
        ["small", f"{statistics.mean(slow):,.0f}", f"{min(slow):,.0f} to {max(slow):,.0f}"],
        ["ratio", f"{statistics.mean(ratios):.2f}", f"{min(ratios):.2f} to {max(ratios):.2f}"],
    ]
    print_table(f"Pairs a second, {len(ratios)} turns each", ["", "mean", "turns"], rows)


if __name__ == "__main__":
    main()
