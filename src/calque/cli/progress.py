"""Progress for people: one line on a terminal that rewrites itself, nothing in a pipe, nothing with -q.

    reading  ━━━━━━━━━━━─────────────────  42%  0:02 left  184,211 pairs/s  210,000 pairs
    reading  184,211 pairs/s  210,000 pairs            (standard input has no size)

Those who work only say how far they are. A thread draws ten times a second, so that time goes on where nothing is said.
"""

from __future__ import annotations

import os
import shutil
import sys
import threading
import time
from collections.abc import Iterable
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from .manner import is_quiet
from .visible import shortened

if TYPE_CHECKING:
    from ..corpus.files import BytesRead

_PERIOD = 0.1  # seconds
_PATIENCE = 0.5  # seconds without a line: what ends sooner needs none
_KNOWN_AFTER = 1.0  # seconds of work that an estimate is made from
_MOST_MOMENTS = 512
_WIDEST = 24  # columns of the bar
_NARROWEST = 8
_GAP = 2
_SHARE = 6  # columns of a gap and a share
_INTERRUPTION = 3  # columns for the ^C that a terminal writes behind the line


class _Moment(NamedTuple):
    when: float
    counted: float
    share: float


class Progress:
    """A context that clears its line in the end, so that an error stands on a line of its own.

    `beside_data` says that data goes to standard output meanwhile: if that is the terminal too, no line is drawn.
    """

    def __init__(self, *, beside_data: bool = False) -> None:
        alone = not (beside_data and sys.stdout.isatty())
        self.on_terminal = sys.stderr.isatty() and os.environ.get("TERM") != "dumb" and alone and not is_quiet()
        self._quiet = is_quiet()
        self._lock = threading.Lock()
        self._over = threading.Event()
        self._shown = False
        self._begun = time.monotonic()
        self._files = ExitStack()
        self._bytes: BytesRead | None = None
        self._reset("", "", None, "")

    def __enter__(self) -> Progress:
        if self.on_terminal:
            threading.Thread(target=self._draw_on, daemon=True).start()
        return self

    def __exit__(self, *problem: object) -> None:
        self._over.set()
        self.clear()
        self._watch(None)

    def stage(self, doing: str, unit: str = "", *, total: float | None = None, then: str = "") -> None:
        """Begins something; `total` is of what `at` counts, `then` what follows when all is counted."""
        with self._lock:
            self._reset(doing, unit, total, then)
        self._watch(None)

    def reading(self, paths: Iterable[str | Path], unit: str, doing: str = "reading", *, then: str = "") -> None:
        """Begins to read files, none of which is open yet: how far it is, their bytes tell."""
        from ..corpus.files import BytesRead

        self.stage(doing, unit, then=then)
        if self.on_terminal:
            self._watch(BytesRead(paths))

    def at(self, count: float, detail: str = "", left: float | None = None) -> None:
        """So many have been done; `left` are seconds, where somebody knows better than an estimate."""
        self._count, self._detail, self._left = count, detail, left

    def keep(self, text: str) -> None:
        """Leaves a line of its own, on a terminal or not; not with -q."""
        with self._lock:
            self._erase()
            if not self._quiet:
                sys.stderr.write(f"{text}\n")
                sys.stderr.flush()

    def clear(self) -> None:
        with self._lock:
            self._erase()
            self._doing = ""

    def _reset(self, doing: str, unit: str, total: float | None, then: str) -> None:
        self._doing, self._unit, self._total, self._then = doing, unit, total, then
        self._count, self._detail, self._left = 0.0, "", None
        self._since, self._ended, self._furthest = time.monotonic(), 0.0, 0.0
        self._moments: list[_Moment] = []

    def _watch(self, read: BytesRead | None) -> None:
        self._files.close()
        self._bytes = self._files.enter_context(read) if read is not None else None

    def _draw_on(self) -> None:
        while not self._over.wait(_PERIOD):
            now = time.monotonic()
            with self._lock:
                if self._doing and now - self._begun >= _PATIENCE and not self._over.is_set():
                    self._draw(now)

    def _draw(self, now: float) -> None:
        share = self._share()
        self._moments.append(_Moment(now, self._count, share or 0.0))
        if len(self._moments) > _MOST_MOMENTS:
            del self._moments[1::2]
        width = shutil.get_terminal_size().columns - _INTERRUPTION
        if share is not None and share >= 1 and self._then:
            self._ended = self._ended or now
            text = fitted([self._then, duration(now - self._ended)], width, None)
        else:
            text = fitted(self._parts(now, share), width, share)
        sys.stderr.write(f"\r\x1b[K{text}")
        sys.stderr.flush()
        self._shown = True

    def _share(self) -> float | None:
        if self._bytes is not None:
            share = self._bytes.share
            self._furthest = max(self._furthest, share or 0.0)  # a file may be opened again
            return None if share is None else self._furthest
        return min(self._count / self._total, 1.0) if self._total else None

    def _parts(self, now: float, share: float | None) -> list[str]:
        """From what matters most to what a narrow terminal can do without."""
        # The first steps are often slower or faster than the others: the later half of the time tells more.
        before = self._moments[len(self._moments) // 2]
        passed = now - before.when
        left, rate = self._left, 0.0
        if passed and now - self._since >= _KNOWN_AFTER:
            rate = (self._count - before.counted) / passed
            if left is None and share is not None and share > before.share:
                left = passed * (1 - share) / (share - before.share)
        parts = [self._doing]
        parts += [f"{share:4.0%}"] if share is not None else []
        parts += [f"{duration(left)} left"] if left is not None and share != 1 else []  # the last is not done when read
        if share is None and left is None and not self._count:
            parts += [duration(now - self._since)]
        if self._unit and rate:
            parts += [f"{amount(rate, self._unit)}/s"]
        if self._unit and self._count:
            whole = f" of {size_text(self._total)}" if self._unit == "B" and self._total else ""
            parts += [amount(self._count, self._unit) + whole]
        return parts + ([self._detail] if self._detail else [])

    def _erase(self) -> None:
        if self._shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
        self._shown = False


def fitted(parts: list[str], width: int, share: float | None) -> str:
    """As many of the parts as there is room for, the first ones first, and a bar behind the first if there is a share.

    >>> fitted(["reading", "50%", "0:02 left", "184,211 pairs/s"], 30, None)
    'reading  50%  0:02 left'
    """
    taken = [shortened(parts[0], max(width // 2, 1))]
    room = width - len(taken[0])
    bars = _GAP + _NARROWEST if share is not None and room >= _GAP + _NARROWEST + _SHARE else 0
    room -= bars
    for part in parts[1:]:
        if _GAP + len(part) > room:
            break
        taken.append(part)
        room -= _GAP + len(part)
    if bars and share is not None:
        taken.insert(1, bar(share, min(_NARROWEST + room, _WIDEST)))
    return (" " * _GAP).join(taken)


def bar(share: float, width: int) -> str:
    """Thick for what is done and thin for the rest, so that it needs no colour."""
    done = int(share * width)
    try:
        "━─".encode(sys.stderr.encoding or "ascii")
    except UnicodeEncodeError:
        return "#" * done + "-" * (width - done)
    drawn = "━" * done
    return (drawn if "NO_COLOR" in os.environ else f"\x1b[36m{drawn}\x1b[0m") + "─" * (width - done)


def amount(count: float, unit: str) -> str:
    """
    >>> amount(1234567, "pairs"), amount(299_204_608, "B")
    ('1,234,567 pairs', '299.2 MB')
    """
    return size_text(count) if unit == "B" else f"{count:,.0f} {unit}"


def size_text(size: float) -> str:
    """
    >>> size_text(999), size_text(299_204_608)
    ('999 B', '299.2 MB')
    """
    for unit in ("B", "kB", "MB", "GB"):
        if size < 999.95:
            return f"{size:.0f} {unit}" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:.1f} TB"


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
