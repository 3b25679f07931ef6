"""Stopping a long task on Ctrl-C only where it can be resumed from."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Callable, Iterator
from types import FrameType


@contextlib.contextmanager
def stop_on_signals() -> Iterator[Callable[[], bool]]:
    """Within the block, SIGINT and SIGTERM only set what the yielded function answers; a second one acts as ever.

    Signals belong to the main thread; in another, nothing is changed and nobody ever asks for a stop. One that is
    ignored, as Ctrl-C is by what a script runs in the background, or handled by no Python code, stays so.
    """
    asked = False
    if threading.current_thread() is not threading.main_thread():
        yield lambda: False
        return

    def ask(number: int, frame: FrameType | None) -> None:
        nonlocal asked
        asked = True
        signal.signal(number, before[number])

    handlers = {int(number): signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    before = {number: handler for number, handler in handlers.items() if handler not in (signal.SIG_IGN, None)}
    for number in before:
        signal.signal(number, ask)
    try:
        yield lambda: asked
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
