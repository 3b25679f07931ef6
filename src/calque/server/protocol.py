"""What uvicorn leaves open: how long a client may take to send a request, and how long its headers may be."""

from __future__ import annotations

import asyncio
from typing import Any

from .at_once import AnsweringAtOnce
from .errors import ApiError
from .http import CLOSING, answer_of, written

MOST_HEADERS = 64 << 10  # bytes, with the path
_LINGER = 5.0  # seconds

_NOT_HTTP = ApiError(400, "this is not HTTP as the server understands it", "invalid_http")
_HEADERS_TOO_LARGE = ApiError(431, f"the headers are larger than {MOST_HEADERS:,} bytes", "headers_too_large")


class HeadersTooLarge(Exception):
    """Makes the parser stop."""


class Protocol(AnsweringAtOnce):
    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self.patience = self.application.service.settings.patience
        self._timer: asyncio.TimerHandle | None = None
        self._in_head = True
        self._head = 0  # bytes of a head that is not whole yet
        self._fault = _NOT_HTTP  # what is wrong if the parser cannot go on
        self._refused = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._start_timer(self.patience, self._too_slow)

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_timer()
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

    def on_message_complete(self) -> None:
        self._in_head, self._head = True, 0
        self._stop_timer()
        super().on_message_complete()

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
        if self.cycle is not None and not self.cycle.response_complete:
            self.cycle.disconnected = True  # as far as the application is concerned
            self.cycle.message_event.set()
            if self.cycle.response_started:
                self.transport.close()
                return
        self.transport.write(written(answer_of(error), [CLOSING]))
        self.flow.resume_reading()
        self.transport.write_eof()
        self._start_timer(_LINGER, self.transport.abort)

    def _start_timer(self, seconds: float, then: Any) -> None:
        self._timer = self.loop.call_later(seconds, then)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
