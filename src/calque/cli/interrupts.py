"""Ctrl-C and SIGTERM end a command wherever they arrive, and its temporary files go."""

from __future__ import annotations

import _thread
import contextlib
import signal
import sys
import threading
from collections.abc import Iterator
from types import FrameType
from typing import Any

_AGAIN = 0.02  # seconds, for the callback that swallowed an interrupt to be over


@contextlib.contextmanager
def interruptible() -> Iterator[None]:
    """Raise KeyboardInterrupt for SIGTERM, too; a second one ends the process at once.

    An exception that is raised while Python runs a destructor or the callback of a weak reference is only printed. A
    signal can arrive there, during an import for instance; then it is sent again.
    """
    if threading.current_thread() is not threading.main_thread() or signal.getsignal(signal.SIGTERM) != signal.SIG_DFL:
        yield
        return
    report = sys.unraisablehook
    timers: list[threading.Timer] = []

    def interrupt(number: int, frame: FrameType | None) -> None:
        signal.signal(number, signal.SIG_DFL)
        raise KeyboardInterrupt

    def not_raised(swallowed: Any) -> None:
        if not isinstance(swallowed.exc_value, KeyboardInterrupt):
            report(swallowed)
            return
        signal.signal(signal.SIGTERM, interrupt)
        timers.append(threading.Timer(_AGAIN, _send_to_main_thread))
        timers[-1].start()

    signal.signal(signal.SIGTERM, interrupt)
    sys.unraisablehook = not_raised
    try:
        yield
    finally:
        for timer in timers:  # one that went off later would end the process without clearing away
            timer.cancel()
            timer.join()
        sys.unraisablehook = report
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _send_to_main_thread() -> None:
    main = threading.main_thread().ident
    if hasattr(signal, "pthread_kill") and main is not None:
        signal.pthread_kill(main, signal.SIGTERM)  # ends a system call that waits, too
    else:
        _thread.interrupt_main(signal.SIGTERM)
