"""From a request to an answer: as an ASGI application, or at once."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from ..errors import CorpusError, UsageError
from ..threads import resolve_threads
from .access import require_host, require_token
from .budget import SMALL, STATE, Account, Budget, Holding, overfull
from .directory import Directory
from .errors import ApiError, bad_request
from .http import Answer, Disconnected, Receive, Scope, Send, answer_of, read_body, require_json, send_answer
from .messages import decode
from .metrics import TYPE, Metrics
from .openapi import describe
from .page import page_files
from .routes import ROUTES, Route
from .service import Service
from .settings import ServerSettings

log = logging.getLogger("uvicorn.error")

_LARGE = 16 << 10  # bytes of a request from which on it goes to a thread, so that small ones need not wait for it


def create_app(settings: ServerSettings | None = None, metrics: Path | None = None) -> App:
    """An application for any ASGI server; `calque serve` adds workers, and limits on time and headers.

    `metrics` is a folder in which several processes keep theirs, so that each can tell those of all.
    """
    return App(Service(settings or ServerSettings()), metrics)


class App:
    def __init__(self, service: Service, metrics: Path | None = None) -> None:
        self.service = service
        self._token = service.settings.token.encode() if service.settings.token else None
        names = service.settings.hosts
        self._hosts = None if names is None else {b"localhost", *(name.lower().encode() for name in names)}
        routes = (*ROUTES, Route("GET", "/metrics", "Counts and times, as Prometheus reads them", self._exposition))
        description = Answer(msgspec.json.encode(describe(service, routes)))
        self._directory = Directory(routes, {**page_files(), "/openapi.json": description})
        self._metrics = Metrics(self._directory.labels, metrics)
        self._quick = {route.path.encode(): route for route in routes if route.takes and not route.long}
        self._quick_size = min(_LARGE, service.settings.max_body)
        self.budget = Budget(service.settings.max_pending)
        self._threads = ThreadPoolExecutor(resolve_threads(None), thread_name_prefix="calque")
        self._waiting = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return  # neither web sockets nor anything to do at the start or the end
        began = time.perf_counter()
        method, path = scope["method"], scope["path"]
        route = self._directory.route(method, path)
        label = self._directory.label(route, path)
        self._metrics.begin()
        account = scope.get("state", {}).get(STATE) or Account(self.budget)
        try:
            with account.holding() as holding:
                answer = await self._answer(route, scope, receive, holding)
                await send_answer(answer, send, holding)
            self._metrics.answered(label, answer.status, time.perf_counter() - began)
        except Disconnected:
            self._metrics.disconnected(label)
        finally:
            self._metrics.end()

    def begin_at_once(self, path: bytes, size: int) -> Route | None:
        """The route of a POST that can be answered without waiting for anything once its body of that size is there.

        It is under way from then on, until it is answered or abandoned.
        """
        route = self._quick.get(path) if size <= self._quick_size else None
        if route is not None:
            self._metrics.begin()
        return route

    def answer_at_once(
        self, route: Route, version: str, headers: Sequence[tuple[bytes, bytes]], body: bytes, began: float
    ) -> Answer:
        try:
            self._admit(route, version, headers)
            self.budget.require_start(len(body))
            answer = self._work(route, body)
            if len(answer.body) > SMALL and not self.budget.make_room(len(answer.body)):
                raise overfull()
        except Exception as problem:
            answer = _refusal(problem, f"{route.method} {route.path}")
        self._metrics.answered(route.path, answer.status, time.perf_counter() - began)
        self._metrics.end()
        return answer

    def abandon(self, route: Route) -> None:
        """The client has gone before all of its request was there."""
        self._metrics.disconnected(route.path)
        self._metrics.end()

    async def _answer(self, route: Route | None, scope: Scope, receive: Receive, holding: Holding) -> Answer:
        method, path, version = scope["method"], scope["path"], scope["http_version"]
        try:
            if route is None:
                require_host(scope["headers"], version, self._hosts)
                return self._directory.page(method, path)
            self._admit(route, version, scope["headers"])
            if route.takes is None:
                name = path.removeprefix(route.prefix) if route.prefix else None
                return self._written(route, route.answer(self.service, name))
            body = await read_body(dict(scope["headers"]), receive, self.service.settings.max_body, holding)
            self.budget.require_start(len(body), holding.account)
            work = partial(self._work, route, body)
            answer = await self._in_a_thread(work) if route.long or len(body) > _LARGE else work()
            holding.hold(len(answer.body))
            return answer
        except Disconnected:
            raise
        except Exception as problem:
            return _refusal(problem, f"{method} {path}")

    def _admit(self, route: Route, version: str, headers: Sequence[tuple[bytes, bytes]]) -> None:
        require_host(headers, version, self._hosts)
        if self._token is not None and not route.open:
            require_token(headers, self._token)
        if route.takes is not None:
            require_json(dict(headers))

    def _work(self, route: Route, body: bytes) -> Answer:
        assert route.takes is not None
        return self._written(route, route.answer(self.service, decode(body, route.takes, route.advice)))

    async def _in_a_thread(self, work: Callable[[], Answer]) -> Answer:
        if self._waiting >= self.service.settings.max_waiting:
            raise ApiError(
                503, "too many long requests at once; come back", "overloaded", headers=((b"retry-after", b"1"),)
            )
        self._waiting += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._threads, work)
        finally:
            self._waiting -= 1

    @staticmethod
    def _written(route: Route, message: Any) -> Answer:
        return Answer(message, TYPE) if route.gives is None else Answer(msgspec.json.encode(message))

    def _exposition(self, service: Service, asked: None) -> bytes:
        return self._metrics.exposition()


def _refusal(problem: Exception, request: str) -> Answer:
    if isinstance(problem, ApiError):
        return answer_of(problem)
    if isinstance(problem, UsageError | CorpusError):  # of what was sent
        return answer_of(bad_request(problem))
    # A damaged model or a full disk: what is said of it names places that are nobody else's business.
    log.error("%r failed", request, exc_info=problem)
    return answer_of(ApiError(500, "the server failed; its log says why", "server_error"))
