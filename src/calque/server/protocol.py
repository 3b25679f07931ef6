"""What uvicorn leaves open: how long a client may take, how long its headers may be, how many may be connected."""

from __future__ import annotations

import asyncio
import sys
from collections import deque
from typing import Any

from .at_once import AnsweringAtOnce
from .errors import ApiError
from .http import CLOSING, answer_of, written

MOST_HEADERS = 64 << 10  # bytes, with the path
_LINGER = 5.0  # seconds

_NOT_HTTP = ApiError(400, "this is not HTTP as the server understands it", "invalid_http")
_FULL = ApiError(503, "too many connections at once; come back", "overloaded", headers=((b"retry-after", b"1"),))
_HEADERS_TOO_LARGE = ApiError(431, f"the headers are larger than {MOST_HEADERS:,} bytes", "headers_too_large")


def _not_taken(transport: asyncio.Transport) -> int:
    """Bytes here and, on Linux, in the system's own buffer, which asks for more only when a third of it is free."""
    waiting = transport.get_write_buffer_size()
    if not waiting or sys.platform != "linux":
        return waiting
    import fcntl
    import termios

    held = fcntl.ioctl(transport.get_extra_info("socket").fileno(), termios.TIOCOUTQ, bytes(4))
    return waiting + int.from_bytes(held, sys.byteorder)


class HeadersTooLarge(Exception):
    """Makes the parser stop."""


class Protocol(AnsweringAtOnce):
    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self.patience = self.application.service.settings.patience
        self._timer: asyncio.TimerHandle | None = None
        self._watch: asyncio.TimerHandle | None = None
        self._cycles: deque[Any] = deque()  # uvicorn's, of requests that came one upon the other: it knows the last
        self._in_head = True
        self._head = 0  # bytes of a head that is not whole yet
        self._fault = _NOT_HTTP  # what is wrong if the parser cannot go on
        self._refused = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        if self.limit_concurrency is not None and len(self.connections) >= self.limit_concurrency:
            self._turn_away()
        else:
            self._start_timer(self.patience, self._too_slow)

    def _turn_away(self) -> None:
        """One connection too many; those that were there before are not to notice."""
        self._refused = True
        self.connections.discard(self)
        self.transport.write(written(answer_of(_FULL), [CLOSING]))
        self.transport.close()
        self._watch_reader()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_timer()
        self._stop_watching()
        self._leave_application()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self._refused:
            return
        if self._in_head:
            self._head += len(data)
        super().data_received(data)
        if self._in_head and self._head > MOST_HEADERS:
            self._refuse(_HEADERS_TOO_LARGE)
        elif self._timer is None and (self._head or not self._in_head):  # only a part of a request is there
            self._start_timer(self.patience, self._too_slow)

    def on_headers_complete(self) -> None:
        self._in_head, self._head = False, 0
        if len(self.url) + sum(len(name) + len(value) for name, value in self.headers) > MOST_HEADERS:
            self._fault = _HEADERS_TOO_LARGE
            raise HeadersTooLarge
        super().on_headers_complete()
        while self._cycles and self._cycles[0].response_complete:
            self._cycles.popleft()
        if self.cycle is not None and not self.cycle.response_complete:
            self._cycles.append(self.cycle)

    def on_message_complete(self) -> None:
        self._in_head, self._head = True, 0
        self._stop_timer()
        super().on_message_complete()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._watch_reader()

    def resume_writing(self) -> None:
        super().resume_writing()
        if not self.transport.is_closing():
            self._stop_watching()  # the next answer may be larger than what was left of this one

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self.transport.is_closing():
            self._watch_reader()

    def timeout_keep_alive_handler(self) -> None:
        super().timeout_keep_alive_handler()
        self._watch_reader()

    def _watch_reader(self) -> None:
        """Whoever takes nothing of an answer for as long as a request may take is left: it would lie here for good."""
        if self._watch is None:
            left = _not_taken(self.transport)
            self._watch = self.loop.call_later(self.patience, self._look_at_reader, left)

    def _look_at_reader(self, before: int) -> None:
        self._watch = None
        left = _not_taken(self.transport)
        if left >= before > 0:
            self.transport.abort()
        elif left:
            self._watch_reader()

    def _stop_watching(self) -> None:
        if self._watch is not None:
            self._watch.cancel()
            self._watch = None

    def send_400_response(self, msg: str) -> None:
        self._refuse(self._fault)

    def _too_slow(self) -> None:
        self._refuse(ApiError(408, f"the request took more than {self.patience:g} seconds to arrive", "too_slow"))

    def _refuse(self, error: ApiError) -> None:
        """Answers in place of the application, and goes on listening without hearing.

        Most clients look for an answer only after they have sent everything; to hang up on them would lose it.
        """
        if self._refused or self.transport.is_closing():
            return
        self._refused = True
        self._stop_timer()
        if self._leave_application():
            self.transport.close()
            return
        self.transport.write(written(answer_of(error), [CLOSING]))
        self.flow.resume_reading()
        self.transport.write_eof()
        self._start_timer(_LINGER, self.transport.abort)

    def _leave_application(self) -> bool:
        """As far as it is concerned, the client has gone; whether a part of an answer has."""
        under_way = [cycle for cycle in self._cycles if not cycle.response_complete]
        for cycle in under_way:
            cycle.disconnected = True
            cycle.message_event.set()
        self._cycles.clear()
        self.pipeline.clear()
        return any(cycle.response_started for cycle in under_way)

    def _start_timer(self, seconds: float, then: Any) -> None:
        self._timer = self.loop.call_later(seconds, then)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
