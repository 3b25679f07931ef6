"""From a request to an answer, as an ASGI application."""

from __future__ import annotations

import asyncio
import logging
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from http import HTTPStatus
from typing import Any

import msgspec

from ..errors import CalqueError, ModelError
from ..threads import resolve_threads
from . import metrics
from .access import require_token
from .errors import ApiError, bad_request
from .http import Answer, Disconnected, Receive, Scope, Send, answer_of, read_body, send_answer
from .messages import decode
from .openapi import describe
from .page import page_files
from .routes import ROUTES, Route
from .service import Service
from .settings import ServerSettings

log = logging.getLogger("uvicorn.error")

_LARGE = 16 << 10  # bytes of a request from which on it goes to a thread, so that small ones need not wait for it
_NOWHERE = "other"  # what metrics call the route of a request that has none, so that nobody can invent labels


def create_app(settings: ServerSettings | None = None) -> App:
    """An application for any ASGI server; `calque serve` adds workers, and limits on time and headers."""
    return App(Service(settings or ServerSettings()))


class App:
    def __init__(self, service: Service) -> None:
        self.service = service
        self._token = service.settings.token.encode() if service.settings.token else None
        self._exact = {(route.method, route.path): route for route in ROUTES if route.prefix is None}
        self._prefixed = [route for route in ROUTES if route.prefix is not None]
        self._pages = {**page_files(), "/openapi.json": Answer(msgspec.json.encode(describe(service, ROUTES)))}
        self._threads = ThreadPoolExecutor(resolve_threads(None), thread_name_prefix="calque")
        self._waiting = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return  # neither web sockets nor anything to do at the start or the end
        began = time.perf_counter()
        route = self._route(scope)
        label = route.path if route else scope["path"] if scope["path"] in self._pages else _NOWHERE
        metrics.IN_FLIGHT.inc()
        try:
            answer = await self._answer(scope, receive, route)
            await send_answer(answer, send)
            metrics.REQUESTS.labels(label, answer.status).inc()
            metrics.SECONDS.labels(label).observe(time.perf_counter() - began)
        except Disconnected:
            metrics.REQUESTS.labels(label, "disconnected").inc()
        finally:
            metrics.IN_FLIGHT.dec()

    def _route(self, scope: Scope) -> Route | None:
        path, method = scope["path"], scope["method"]
        method = "GET" if method == "HEAD" else method
        found = self._exact.get((method, path))
        if found is None:
            found = next((each for each in self._prefixed if _is_of(each, method, path)), None)
        return found

    async def _answer(self, scope: Scope, receive: Receive, route: Route | None) -> Answer:
        try:
            if route is None:
                return self._page(scope)
            if self._token is not None and not route.open:
                require_token(scope, self._token)
            return await self._ask(route, scope, receive)
        except ApiError as error:
            return answer_of(error)
        except ModelError as problem:
            return answer_of(ApiError(500, problem.message, "server_error"))
        except CalqueError as problem:
            return answer_of(bad_request(problem))
        except Disconnected:
            raise
        except Exception:
            log.exception("%s %s failed", scope["method"], scope["path"])
            return answer_of(ApiError(500, "the server failed; its log says why", "server_error"))

    async def _ask(self, route: Route, scope: Scope, receive: Receive) -> Answer:
        if route.takes is None:
            name = scope["path"].removeprefix(route.prefix) if route.prefix else None
            return self._written(route, route.answer(self.service, name))
        body = await read_body(scope, receive, self.service.settings.max_body)
        work = partial(self._work, route, body)
        return await self._in_a_thread(work) if route.long or len(body) > _LARGE else work()

    def _work(self, route: Route, body: bytes) -> Answer:
        assert route.takes is not None
        return self._written(route, route.answer(self.service, decode(body, route.takes, route.advice)))

    async def _in_a_thread(self, work: Any) -> Answer:
        if self._waiting >= self.service.settings.max_waiting:
            raise ApiError(
                503, "too many long requests at once; come back", "overloaded", headers=((b"retry-after", b"1"),)
            )
        self._waiting += 1
        try:
            answer: Answer = await asyncio.get_running_loop().run_in_executor(self._threads, work)
        finally:
            self._waiting -= 1
        return answer

    @staticmethod
    def _written(route: Route, message: Any) -> Answer:
        return Answer(message, metrics.TYPE) if route.gives is None else Answer(msgspec.json.encode(message))

    def _page(self, scope: Scope) -> Answer:
        path = scope["path"]
        page = self._pages.get(path)
        if page is not None and scope["method"] in ("GET", "HEAD"):
            return page
        allowed = {"GET", "HEAD"} if page is not None else set()
        for route in ROUTES:
            if _is_of(route, route.method, path):
                allowed |= {"GET", "HEAD"} if route.method == "GET" else {route.method}
        if allowed:
            names = ", ".join(sorted(allowed))
            raise ApiError(
                405,
                f"{path} takes {names}, not {scope['method']}",
                "method_not_allowed",
                headers=((b"allow", names.encode()),),
            )
        raise ApiError(HTTPStatus.NOT_FOUND, f"there is nothing at {path}", "not_found")


def _is_of(route: Route, method: str, path: str) -> bool:
    if route.method != method:
        return False
    return path == route.path if route.prefix is None else path.startswith(route.prefix) and path != route.prefix
