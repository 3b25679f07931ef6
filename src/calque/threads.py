"""How many threads to use, and whether there is room for them."""

from __future__ import annotations

import mmap
import os
import sys

from .errors import UsageError

if sys.platform != "win32":
    import resource

_USUAL_STACK, _LARGEST_STACK = 8 << 20, 1 << 30  # bytes: of a thread where no limit is set, and of any sensible limit
ARENA = 64 << 20  # bytes of addresses that glibc sets aside for a thread's first allocation


def resolve_threads(threads: int | None) -> int:
    """The number asked for, or else one for each core this process may use."""
    if threads is None:
        try:
            return len(os.sched_getaffinity(0))
        except AttributeError:  # not on Linux
            return os.cpu_count() or 1
    if threads < 1:
        raise UsageError(f"threads: expected 1 or more, got {threads}", hint="leave it out to use all cores")
    return threads


def require_room(threads: int, more: int = 0, *, arena: int = ARENA) -> None:
    """Asks for the addresses that threads take, before other libraries start them and end the process if they fail.

    `arena` is for a thread's own allocations. Nothing is set aside: only a limit, as of `ulimit -v`, can refuse it.

    Raises:
        MemoryError: there is less than they and `more` bytes take.
    """
    if sys.platform == "win32":
        return
    stack = resource.getrlimit(resource.RLIMIT_STACK)[0]
    each = stack if 0 < stack < _LARGEST_STACK else _USUAL_STACK
    try:
        flags, no_access = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, 0
        mmap.mmap(-1, threads * (each + arena) + arena + more, flags, no_access).close()
    except OSError as problem:
        raise MemoryError(f"there is no room for {threads} threads") from problem
