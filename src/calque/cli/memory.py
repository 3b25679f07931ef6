"""Memory that runs out shows itself in many ways; to whoever runs a command, they are one."""

from __future__ import annotations

import errno

# What the dynamic linker, the C++ library and Python say where memory was missing, in errors of other kinds.
_SAID = ("failed to map segment", "cannot allocate memory", "bad_alloc", "can't start new thread")
_NO_THREAD = "Resource temporarily unavailable"  # of C++: a thread needs memory for its stack


def lacks_memory(problem: BaseException | None) -> bool:
    """Whether an error, or one that it comes from, means that there was not enough memory."""
    if problem is None:
        return False
    if isinstance(problem, MemoryError) or (isinstance(problem, OSError) and problem.errno == errno.ENOMEM):
        return True
    said = str(problem).lower()
    if isinstance(problem, ImportError | OSError | RuntimeError) and any(words in said for words in _SAID):
        return True
    if isinstance(problem, RuntimeError) and str(problem) == _NO_THREAD:
        return True
    return lacks_memory(problem.__cause__ or problem.__context__)
