"""Which route or page a request is for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from .errors import ApiError
from .http import Answer
from .routes import Route

NOWHERE = "other"  # what metrics call the route of a request that has none, so that nobody can invent labels


class Directory:
    def __init__(self, routes: Sequence[Route], pages: dict[str, Answer]) -> None:
        self._routes = routes
        self._pages = pages
        self._exact = {(route.method, route.path): route for route in routes if route.prefix is None}
        self._prefixed = [route for route in routes if route.prefix is not None]

    @property
    def labels(self) -> list[str]:
        """All that `label` may say."""
        return [*(route.path for route in self._routes), *self._pages, NOWHERE]

    def route(self, method: str, path: str) -> Route | None:
        method = "GET" if method == "HEAD" else method
        found = self._exact.get((method, path))
        return found or next(
            (route for route in self._prefixed if route.method == method and _is_at(route, path)), None
        )

    def label(self, route: Route | None, path: str) -> str:
        return route.path if route else path if path in self._pages else NOWHERE

    def page(self, method: str, path: str) -> Answer:
        """What is there though no route is.

        Raises:
            ApiError: 404, nothing; 405, something that takes other methods.
        """
        page = self._pages.get(path)
        if page is not None and method in ("GET", "HEAD"):
            return page
        methods = {route.method for route in self._routes if _is_at(route, path)} | ({"GET"} if page else set())
        if not methods:
            raise ApiError(404, f"there is nothing at {path}", "not_found")
        allowed = _listed(methods)
        raise ApiError(
            405, f"{path} takes {allowed}, not {method}", "method_not_allowed", headers=((b"allow", allowed.encode()),)
        )


def _is_at(route: Route, path: str) -> bool:
    if route.prefix is None:
        return path == route.path
    return path.startswith(route.prefix) and path != route.prefix


def _listed(methods: Iterable[str]) -> str:
    return ", ".join(sorted({*methods, *(("HEAD",) if "GET" in methods else ())}))
