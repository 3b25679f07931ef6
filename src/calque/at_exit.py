"""Calls into other libraries' native code that must end before the interpreter does.

Python before 3.14 ends a daemon thread that asks for the interpreter's lock during shutdown. In C++ or Rust frames that
aborts the whole process. So shutdown waits for such calls, and no new ones begin. The kernel looks after itself
(kernel/unlocked.hpp).
"""

from __future__ import annotations

import atexit
import os
import threading
import time
from types import TracebackType

_PATIENCE = 10.0  # seconds that shutdown waits for calls under way
_PAUSE = 0.001

_inside: set[int] = set()  # threads; adding and discarding is atomic
_closing_thread: int | None = None


class _NativeCall:
    """A context manager without state of its own: a call may take only microseconds."""

    def __enter__(self) -> None:
        me = threading.get_ident()
        _inside.add(me)
        if _closing_thread not in (None, me):  # asked after adding, so that no thread slips between
            _inside.discard(me)
            threading.Event().wait()

    def __exit__(
        self, type: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        _inside.discard(threading.get_ident())


_CALL = _NativeCall()


def native_call() -> _NativeCall:
    """Return a context manager for a call into native code of another library; do not nest it.

    Once shutdown has begun, it stops every thread but the one that shuts down.
    """
    return _CALL


@atexit.register
def _close() -> None:
    global _closing_thread
    _closing_thread = threading.get_ident()
    end = time.monotonic() + _PATIENCE
    while _inside - {_closing_thread} and time.monotonic() < end:
        time.sleep(_PAUSE)


def _forget_threads() -> None:
    """A forked child has only the thread that forked."""
    global _closing_thread
    _closing_thread = None
    _inside.intersection_update({threading.get_ident()})


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_threads)
