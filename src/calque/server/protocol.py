"""What uvicorn leaves open: how long a client may take to send a request, and how long its headers may be."""

from __future__ import annotations

import asyncio
from http import HTTPStatus
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from .errors import ApiError, error_body

MOST_HEADERS = 64 << 10  # bytes, with the path


class Protocol(HttpToolsProtocol):
    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        application: Any = self.app
        self.patience: float = application.service.settings.patience
        self._timer: asyncio.TimerHandle | None = None
        self._head = 0  # bytes received since the last request was whole
        self._in_head = True

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._start_timer()

    def connection_lost(self, problem: Exception | None) -> None:
        self._stop_timer()
        super().connection_lost(problem)

    def data_received(self, data: bytes) -> None:
        if self._timer is None and self._in_head:
            self._start_timer()
        if self._in_head:
            self._head += len(data)
        super().data_received(data)
        if self._in_head and self._head > MOST_HEADERS and not self.transport.is_closing():
            self._refuse(ApiError(431, f"the headers are larger than {MOST_HEADERS:,} bytes", "headers_too_large"))

    def on_headers_complete(self) -> None:
        self._in_head, self._head = False, 0
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        self._in_head = True
        self._stop_timer()
        super().on_message_complete()

    def send_400_response(self, msg: str) -> None:
        self._refuse(ApiError(400, "this is not HTTP as the server understands it", "invalid_http"))

    def _start_timer(self) -> None:
        self._timer = self.loop.call_later(self.patience, self._too_slow)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _too_slow(self) -> None:
        self._timer = None
        if not self.transport.is_closing():
            self._refuse(ApiError(408, f"the request took more than {self.patience:g} seconds to arrive", "too_slow"))

    def _refuse(self, error: ApiError) -> None:
        """Answers in place of the application, and hangs up."""
        self._stop_timer()
        if self.cycle is not None and self.cycle.response_started and not self.cycle.response_complete:
            self.transport.close()  # in the middle of an answer to an earlier request
            return
        body = error_body(error)
        head = (
            f"HTTP/1.1 {error.status} {HTTPStatus(error.status).phrase}\r\n"
            f"content-type: application/json\r\ncontent-length: {len(body)}\r\nconnection: close\r\n\r\n"
        )
        self.transport.write(head.encode() + body)
        self.transport.close()
