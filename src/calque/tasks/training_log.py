"""training.jsonl: how a run went, a line every few seconds and at each epoch's end."""

from __future__ import annotations

import contextlib
import json
import os
import time
from pathlib import Path
from types import TracebackType
from typing import IO

from ..atomic import cannot_write
from ..training import Progress

NAME = "training.jsonl"
_SECONDS = 5.0


class TrainingLog:
    def __init__(self, folder: Path) -> None:
        self._path = folder / NAME
        self._file: IO[str] | None = None
        self._last = 0.0

    def __enter__(self) -> TrainingLog:
        self._cut_half_a_line()
        self._file = self._path.open("a", encoding="utf-8")
        return self

    def __exit__(self, *problem: type[BaseException] | BaseException | TracebackType | None) -> None:
        if self._file:
            with contextlib.suppress(OSError):  # what could not be written has been reported
                self._file.close()

    def _cut_half_a_line(self) -> None:
        """What a disk had no room for the rest of."""
        if self._path.is_file():
            written = self._path.read_bytes()
            if not written.endswith(b"\n"):
                os.truncate(self._path, written.rfind(b"\n") + 1)

    def add(self, progress: Progress) -> None:
        now = time.monotonic()
        if self._file is None or not (progress.ends_epoch or now - self._last >= _SECONDS):
            return
        self._last = now
        line = {
            "epoch": progress.epoch,
            "step": progress.step,
            "steps": progress.steps,
            "loss": round(progress.loss, 5),
            "pairs_per_second": round(progress.pairs_per_second),
            "mega_batch": progress.mega_batch,
            "learning_rate": progress.learning_rate,
            "ends_epoch": progress.ends_epoch,
        }
        if progress.development is not None:
            line["development"] = round(progress.development, 2)
        try:
            self._file.write(json.dumps(line) + "\n")
            self._file.flush()
        except OSError as problem:
            raise cannot_write(self._path, problem) from problem
