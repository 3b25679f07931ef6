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
    version: str
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
            version = self.parser.get_http_version()
            keeps_alive = version != "1.0" and self.parser.should_keep_alive()
            self._arriving = Arriving(route, version, keeps_alive, time.perf_counter())

    def _begin_at_once(self) -> Route | None:
        if self.access_log or self.expect_100_continue or self.parser.get_method() != b"POST":
            return None
        if self.is_under_way() or self._is_full() or self.parser.should_upgrade():
            return None
        size = next((value for name, value in self.headers if name == b"content-length"), b"")
        return self.application.begin_at_once(self.url, int(size)) if size.isdigit() else None

    def is_under_way(self) -> bool:
        """Return True if uvicorn has an earlier request of this connection that is not answered yet."""
        return self.cycle is not None and not self.cycle.response_complete

    def _is_full(self) -> bool:
        """Return True if the client does not read its answers, or if there are too many others."""
        full = self.limit_concurrency is not None and len(self.connections) >= self.limit_concurrency
        return self.flow.write_paused or full

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
        answer = self.application.answer_at_once(
            arrived.route, arrived.version, self.headers, bytes(arrived.body), arrived.began
        )
        more = self.server_state.default_headers
        self.write_answer(written(answer, more if arrived.keeps_alive else [*more, CLOSING]))
        if not arrived.keeps_alive:
            self.transport.close()
        self.on_response_complete()

    def write_answer(self, data: bytes) -> None:
        self.transport.write(data)

    def shutdown(self) -> None:
        """What has begun to arrive is answered."""
        if self._arriving is None:
            super().shutdown()
        else:
            self._arriving.keeps_alive = False
