"""Small requests are answered as soon as they have arrived, in uvicorn's place.

A task, and messages between it and the application, are a quarter of what a sentence takes with uvicorn. Without them
a worker answers a third more. All other requests, and the connection itself, are uvicorn's.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from .app import App
from .http import CLOSING, written
from .routes import Route


@dataclass(slots=True)
class Arriving:
    """A request whose headers are there."""

    route: Route
    keeps_alive: bool
    began: float
    body: bytearray = field(default_factory=bytearray)


class AnsweringAtOnce(HttpToolsProtocol):
    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        application: Any = self.app
        self.application: App = application
        self._arriving: Arriving | None = None

    def connection_lost(self, exc: Exception | None) -> None:
        if self._arriving is not None:
            self.application.abandon(self._arriving.route)
        super().connection_lost(exc)

    def on_headers_complete(self) -> None:
        route = self._begin_at_once()
        if route is None:
            super().on_headers_complete()
        else:
            keeps_alive = self.parser.get_http_version() != "1.0" and self.parser.should_keep_alive()
            self._arriving = Arriving(route, keeps_alive, time.perf_counter())

    def _begin_at_once(self) -> Route | None:
        if self.access_log or self.expect_100_continue or self.parser.get_method() != b"POST":
            return None
        if self._is_busy() or self.parser.should_upgrade():
            return None
        size = next((value for name, value in self.headers if name == b"content-length"), b"")
        return self.application.begin_at_once(self.url, int(size)) if size.isdigit() else None

    def _is_busy(self) -> bool:
        """With an earlier request, with an answer that is not being read, or with too many others."""
        under_way = self.cycle is not None and not self.cycle.response_complete
        full = self.limit_concurrency is not None and len(self.connections) >= self.limit_concurrency
        return under_way or self.flow.write_paused or full

    def on_body(self, body: bytes) -> None:
        if self._arriving is None:
            super().on_body(body)
        else:
            self._arriving.body += body

    def on_message_complete(self) -> None:
        if self._arriving is None:
            super().on_message_complete()
            return
        arrived, self._arriving = self._arriving, None
        answer = self.application.answer_at_once(arrived.route, self.headers, bytes(arrived.body), arrived.began)
        more = self.server_state.default_headers
        self.transport.write(written(answer, more if arrived.keeps_alive else [*more, CLOSING]))
        if not arrived.keeps_alive:
            self.transport.close()
        self.on_response_complete()

    def shutdown(self) -> None:
        """What has begun to arrive is answered."""
        if self._arriving is None:
            super().shutdown()
        else:
            self._arriving.keeps_alive = False
