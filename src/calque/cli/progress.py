"""Progress for people: one line on a terminal that rewrites itself, nothing in a pipe."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

_SECONDS = 0.1


class ProgressLine:
    """As a context, it clears what it has written in the end, so that an error stands on a line of its own."""

    def __init__(self) -> None:
        self.on_terminal = sys.stderr.isatty()
        self._last = 0.0
        self._width = 0

    def __enter__(self) -> ProgressLine:
        return self

    def __exit__(self, *problem: object) -> None:
        self.clear()

    def show(self, text: str) -> None:
        """On a terminal, replaces the line; ten times a second at the most."""
        now = time.monotonic()
        if self.on_terminal and now - self._last >= _SECONDS:
            self._last = now
            self._write(text)

    def keep(self, text: str) -> None:
        """Leaves a line of its own, on a terminal or not."""
        if self.on_terminal:
            self._write(text)
        else:
            sys.stderr.write(text)
        sys.stderr.write("\n")
        self._width = 0

    def clear(self) -> None:
        if self.on_terminal and self._width:
            sys.stderr.write("\r" + " " * self._width + "\r")
            sys.stderr.flush()
        self._width = 0

    def _write(self, text: str) -> None:
        sys.stderr.write("\r" + text.ljust(self._width))
        sys.stderr.flush()
        self._width = len(text)


def rate_of(what: str, line: ProgressLine) -> Callable[[int], None]:
    """What shows how many pairs or lines have been read, and how fast."""
    begun = time.monotonic()

    def report(count: int) -> None:
        line.show(f"{count:,} {what}, {count / max(time.monotonic() - begun, 1e-9):,.0f} {what}/s")

    return report


def duration(seconds: float) -> str:
    """
    >>> duration(75)
    '1:15'
    >>> duration(7384)
    '2:03:04'
    """
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
