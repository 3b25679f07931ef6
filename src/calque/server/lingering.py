"""A transport that does not hang up on a client in the middle of its request, which would lose the answer to it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

_LINGER = 5.0  # seconds


class LingeringTransport:
    """A transport for uvicorn to write to, whose `close` lets a client that is still sending finish.

    Most clients look for an answer only after they have sent everything. If the connection is closed before, the
    system answers the rest of the request with a reset, and the client never sees what was written.
    """

    def __init__(
        self, inner: asyncio.Transport, loop: asyncio.AbstractEventLoop, is_sending: Callable[[], bool]
    ) -> None:
        self.write = inner.write  # the rest goes by __getattr__, which takes longer
        self.lingers = False
        self._inner = inner
        self._loop = loop
        self._is_sending = is_sending
        self._timer: asyncio.TimerHandle | None = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def is_closing(self) -> bool:
        return self.lingers or self._inner.is_closing()

    def close(self) -> None:
        if not self.lingers and self._is_sending() and not self._inner.is_closing():
            self.linger()
        elif not self.lingers:
            self._inner.close()

    def linger(self) -> None:
        """Say that nothing more comes, and read on for a moment; the protocol forgets what it hears."""
        self.lingers = True
        self._inner.resume_reading()
        self._inner.write_eof()
        self._timer = self._loop.call_later(_LINGER, self._inner.abort)

    def lost(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
