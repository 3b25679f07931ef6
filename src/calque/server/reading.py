"""The answers of one connection that its client has not taken yet: they have an end, and count while they are large."""

from __future__ import annotations

import asyncio
import sys
import time
from typing import Any

from .budget import Account, Budget


class Reading:
    """Ends the connection of a client that has taken nothing of its answer for `patience` seconds."""

    def __init__(self, transport: Any, loop: asyncio.AbstractEventLoop, budget: Budget, patience: float) -> None:
        self.account = Account(budget, lambda: not_taken(transport), transport.abort)
        self._transport = transport
        self._loop = loop
        self._patience = patience
        self._every = min(1.0, patience / 4)
        self._timer: asyncio.TimerHandle | None = None
        self._large = 0  # bytes of an answer that lie in the transport as a whole

    def write(self, data: bytes) -> None:
        """Write a whole answer that is large, and count it while any of it is left.

        A transport keeps all bytes of a write until the last of them has gone, so it is made to tell of any that stay.
        """
        self._large = len(data)
        self._transport.set_write_buffer_limits(high=0)
        self._transport.write(data)
        if self._transport.get_write_buffer_size():
            self.account.change(self._large)
        else:
            self._forget()

    def _forget(self) -> None:
        self._large = 0
        self._transport.set_write_buffer_limits()

    def resumed(self) -> None:
        """The transport has gone down to its lower limit."""
        if self._large:
            self.account.change(-self._large)
            self._forget()
        if not self._transport.is_closing():
            self.stop()  # the next answer may be larger than what was left of this one

    def watch(self) -> None:
        if self._timer is None:
            self.account.await_client()
            self._timer = self._loop.call_later(self._every, self._look)

    def _look(self) -> None:
        self._timer = None
        if not not_taken(self._transport):
            return
        if self.account.still_for(time.monotonic()) >= self._patience:
            self._transport.abort()
        else:
            self._timer = self._loop.call_later(self._every, self._look)

    def stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def lost(self) -> None:
        self.stop()
        self.account.leave()


def not_taken(transport: Any) -> int:
    """Return the bytes here and, on Linux, in the system's buffer, which asks for more only when a third is free."""
    waiting: int = transport.get_write_buffer_size()
    if not waiting or sys.platform != "linux":
        return waiting
    import fcntl
    import termios

    held = fcntl.ioctl(transport.get_extra_info("socket").fileno(), termios.TIOCOUTQ, bytes(4))
    return waiting + int.from_bytes(held, sys.byteorder)
