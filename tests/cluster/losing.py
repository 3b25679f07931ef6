"""A driver that comes to its end in the middle of a job."""

from __future__ import annotations

from typing import Any


class Lost(Exception):
    """The driver's end."""


class Losing:
    """Does so many tasks of a stage, or of the first one that has more, and is lost."""

    def __init__(self, after: int = 1, stage: str | None = None) -> None:
        self.after, self.stage = after, stage

    def start(self) -> None: ...

    def run(self, work: Any, tasks: Any) -> Any:
        for number, task in enumerate(tasks):
            if number == self.after and self.stage in (None, work.receipts.name):
                raise Lost
            yield work(task)
