"""What uvicorn leaves open: how long a client may take, how long its headers may be, how many may be connected."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Any

from .at_once import AnsweringAtOnce
from .budget import SMALL, STATE, overfull
from .errors import ApiError
from .http import CLOSING, answer_of, written
from .lingering import LingeringTransport
from .reading import Reading

MOST_HEADERS = 64 << 10  # bytes, with the path
MOST_FIELDS = 100  # headers of a request, as at Apache; each takes a hundred bytes beside its own
MOST_IN_LINE = 64  # requests that wait for an earlier one of their connection
_LINE = 512 << 10  # bytes that such a line may take: uvicorn makes some objects for each request

_NOT_HTTP = ApiError(400, "this is not HTTP as the server understands it", "invalid_http")
_FULL = ApiError(503, "too many connections at once; come back", "overloaded", headers=((b"retry-after", b"1"),))
_HEADERS_TOO_LARGE = ApiError(431, f"the headers are larger than {MOST_HEADERS:,} bytes", "headers_too_large")
_TOO_MANY_HEADERS = ApiError(431, f"there are more than {MOST_FIELDS} headers", "headers_too_large")
_TRAILERS_TOO_LARGE = ApiError(
    431, f"more than {MOST_HEADERS:,} bytes without any of the body: trailers, or the heads of chunks",
    "headers_too_large",
)  # fmt: skip


class ParserStopped(Exception):
    """Raised in a callback of the parser, which then reads no further."""


class Protocol(AnsweringAtOnce):
    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self.patience = self.application.service.settings.patience
        self._timer: asyncio.TimerHandle | None = None
        self._cycles: deque[Any] = deque()  # uvicorn's, of requests that came one upon the other: it knows the last
        self._line = 0  # bytes that count for them
        self._in_head = True
        self._head = 0  # bytes of a head that is not whole yet
        self._beside = 0  # bytes that came since the last ones of a body: trailers, and the heads of chunks
        self._fault: ApiError | None = _NOT_HTTP  # what is wrong if the parser cannot go on; None: nothing
        self._deaf = False  # what comes is not heard any more

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        self._lingering = LingeringTransport(transport, self.loop, lambda: not self._in_head)
        super().connection_made(self._lingering)  # type: ignore[arg-type]
        self._reading = Reading(transport, self.loop, self.application.budget, self.patience)
        if self.limit_concurrency is not None and len(self.connections) >= self.limit_concurrency:
            self._turn_away(transport)
        else:
            self._start_timer()

    def _turn_away(self, transport: asyncio.Transport) -> None:
        """One connection too many; those that were there before are not to notice, and this one may not linger."""
        self._deaf = True
        self.connections.discard(self)
        transport.write(written(answer_of(_FULL), [CLOSING]))
        transport.close()
        self._reading.watch()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_timer()
        self._reading.lost()
        self._lingering.lost()
        self._leave_application()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self._deaf or self._lingering.lingers:
            return
        if self._in_head:
            self._head += len(data)
        else:
            self._beside += len(data)
        super().data_received(data)
        if self._head or not self._in_head:
            self._look_at_part()
        elif self.timeout_keep_alive_task is None and not self.is_under_way() and not self._is_over():
            # uvicorn has forgotten it: the request was answered before the end of its body.
            self.timeout_keep_alive_task = self.loop.call_later(
                self.timeout_keep_alive, self.timeout_keep_alive_handler
            )

    def _look_at_part(self) -> None:
        """Only a part of a request is there; it may be neither too large nor too slow."""
        if self._is_over():
            return
        if max(self._head, self._beside) > MOST_HEADERS:
            self._refuse(_HEADERS_TOO_LARGE if self._in_head else _TRAILERS_TOO_LARGE)
        elif self.headers and len(self.headers) > MOST_FIELDS:
            self._refuse(_TOO_MANY_HEADERS)
        elif self._timer is None:
            self._start_timer()

    def on_headers_complete(self) -> None:
        self._in_head, self._head, self._beside = False, 0, 0
        if len(self.url) + sum(len(name) + len(value) for name, value in self.headers) > MOST_HEADERS:
            self._stop_parser(_HEADERS_TOO_LARGE)
        if len(self.headers) > MOST_FIELDS:
            self._stop_parser(_TOO_MANY_HEADERS)
        if self.is_under_way():
            self._require_room_in_line()
        self.scope["state"][STATE] = self._reading.account
        super().on_headers_complete()
        if self._arriving is None:
            self.headers = []  # for trailers, which uvicorn would add to the headers of the scope
        while self._cycles and self._cycles[0].response_complete:
            self._cycles.popleft()
        if self.is_under_way():
            self._cycles.append(self.cycle)

    def _require_room_in_line(self) -> None:
        """Stop reading where the line is full: those in it are answered, and the others must be sent again."""
        if len(self.pipeline) >= MOST_IN_LINE:
            self.cycle.keep_alive = False
            self._stop_parser(None)
        if not self._line:
            if not self.application.budget.make_room(_LINE, self._reading.account):
                self._stop_parser(overfull())
            self._line = _LINE
            self._reading.account.change(_LINE)

    def _stop_parser(self, fault: ApiError | None) -> None:
        self._fault = fault
        raise ParserStopped

    def on_body(self, body: bytes) -> None:
        self._beside = 0
        super().on_body(body)

    def on_message_complete(self) -> None:
        self._in_head, self._head, self._beside = True, 0, 0
        self._stop_timer()
        super().on_message_complete()

    def write_answer(self, data: bytes) -> None:
        if len(data) <= SMALL:
            self.transport.write(data)
        else:
            self._reading.write(data)

    def pause_writing(self) -> None:
        super().pause_writing()
        self._reading.watch()

    def resume_writing(self) -> None:
        super().resume_writing()
        self._reading.resumed()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self._line and not self.pipeline:
            self._reading.account.change(-self._line)
            self._line = 0
        if self.transport.is_closing():
            self._reading.watch()

    def timeout_keep_alive_handler(self) -> None:
        super().timeout_keep_alive_handler()
        self._reading.watch()

    def send_400_response(self, msg: str) -> None:
        if self._fault is None:
            self._deaf = True
            self._stop_timer()
        else:
            self._refuse(self._fault)

    def _too_slow(self) -> None:
        self._timer = None
        if not self._in_head and self._arriving is None and not self.is_under_way():
            self.transport.close()  # it has its answer, which did not need the rest
            return
        self._refuse(ApiError(408, f"the request took more than {self.patience:g} seconds to arrive", "too_slow"))

    def _is_over(self) -> bool:
        return self._deaf or self.transport.is_closing()

    def _refuse(self, error: ApiError) -> None:
        """Answer in place of the application, and go on listening without hearing."""
        if self._is_over():
            return
        self._deaf = True
        self._stop_timer()
        if self._leave_application():
            self.transport.close()
            return
        self.transport.write(written(answer_of(error), [CLOSING]))
        self._lingering.linger()

    def _leave_application(self) -> bool:
        """As far as it is concerned, the client has gone; whether a part of an answer has."""
        under_way = [cycle for cycle in self._cycles if not cycle.response_complete]
        for cycle in under_way:
            cycle.disconnected = True
            cycle.message_event.set()
        self._cycles.clear()
        self.pipeline.clear()
        return any(cycle.response_started for cycle in under_way)

    def _start_timer(self) -> None:
        self._timer = self.loop.call_later(self.patience, self._too_slow)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
