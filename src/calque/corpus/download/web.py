"""Requests over HTTP: what can go wrong with them, what to try again, and what to say about the rest."""

from __future__ import annotations

import http.client
import re
import socket
import ssl
import time
import urllib.error
import urllib.request
from collections.abc import Mapping
from email.message import Message
from email.utils import parsedate_to_datetime
from typing import IO
from urllib.parse import urlsplit

from ..._version import __version__
from ...errors import CorpusError

TIMEOUT = 30.0  # seconds without a byte
ATTEMPTS = 5
PAUSE = 1.0  # seconds before the second attempt; doubled before each further one
LONGEST_PAUSE = 120.0  # the most that a server may ask us to wait
_PROGRESS = 1 << 20  # bytes that earn a fresh set of attempts

MIRROR = "--mirror URL fetches from elsewhere"
_OFFLINE = f"is the network up? Proxies are taken from HTTPS_PROXY, HTTP_PROXY and NO_PROXY; {MIRROR}"
_LATER = "the server may be busy or the connection poor; try again later, or elsewhere with --mirror URL"
_AGAIN = {408, 425, 429, 500, 502, 503, 504}


class FetchError(CorpusError):
    """An address that does not give what it should; another one may."""


class Unreachable(FetchError):
    """No answer at all from an address."""


class Missing(FetchError):
    """The server has no such thing."""


class TryAgain(Exception):
    """What may well work the next time; `pause` is the number of seconds the server asks for."""

    def __init__(self, message: str, pause: float | None = None) -> None:
        super().__init__(message)
        self.pause = pause


class NoSuchRange(Exception):
    """`whole` is the file's size, if the server tells it."""

    def __init__(self, whole: int | None) -> None:
        super().__init__(whole)
        self.whole = whole


class Patience:
    """Counts attempts and waits between them; every megabyte further than ever before starts the count anew."""

    def __init__(self) -> None:
        self._tries = 0
        self._furthest = 0

    def wait(self, problem: TryAgain, position: int = 0) -> None:
        if position >= self._furthest + _PROGRESS:
            self._tries, self._furthest = 0, position
        self._tries += 1
        if self._tries >= ATTEMPTS:
            raise FetchError(f"{problem}, at {self._tries} attempts", hint=_LATER) from problem
        seconds = PAUSE * 2 ** (self._tries - 1) if problem.pause is None else problem.pause
        if seconds > LONGEST_PAUSE:
            raise FetchError(
                f"{problem}, and asks to be left alone for {seconds:.0f} seconds", hint=_LATER
            ) from problem
        time.sleep(seconds)


def open_address(
    address: str, headers: Mapping[str, str], timeout: float, method: str = "GET"
) -> http.client.HTTPResponse:
    """An answer that is one: with a status from 200 to 299, after all redirections.

    Raises:
        FetchError: this address will not do.
        TryAgain: it may do later.
        NoSuchRange: the file ends before the bytes that were asked for.
    """
    request = urllib.request.Request(
        address,
        headers={"User-Agent": f"calque/{__version__}", "Accept-Encoding": "identity", **headers},
        method=method,
    )
    try:
        answer: http.client.HTTPResponse = _opener().open(request, timeout=timeout)
    except urllib.error.HTTPError as problem:
        with problem:
            raise _status_problem(address, problem, "Range" in headers) from problem
    except urllib.error.URLError as problem:
        raise _connection_problem(address, problem.reason) from problem
    except (http.client.InvalidURL, UnicodeError) as problem:
        raise FetchError(f"{address!r} is no address: {problem}", hint=MIRROR) from problem
    except (OSError, http.client.HTTPException) as problem:
        raise _connection_problem(address, problem) from problem
    return answer


def interrupted(address: str, problem: Exception) -> TryAgain:
    """What broke while the body was coming in."""
    if isinstance(problem, TimeoutError):
        return TryAgain(f"{address} fell silent")
    return TryAgain(f"the connection to {_host(address)} broke ({_reason(problem)})")


def _opener() -> urllib.request.OpenerDirector:
    """As urllib's own, but for http and https alone, and with redirections watched."""
    opener = urllib.request.OpenerDirector()
    handlers: list[urllib.request.BaseHandler] = [
        urllib.request.ProxyHandler(),
        urllib.request.UnknownHandler(),
        urllib.request.HTTPHandler(),
        urllib.request.HTTPSHandler(),
        urllib.request.HTTPDefaultErrorHandler(),
        urllib.request.HTTPErrorProcessor(),
        _WatchedRedirections(),
    ]
    for handler in handlers:
        opener.add_handler(handler)
    return opener


class _WatchedRedirections(urllib.request.HTTPRedirectHandler):
    def redirect_request(
        self,
        request: urllib.request.Request,
        answer: IO[bytes],
        code: int,
        message: str,
        headers: http.client.HTTPMessage,
        to: str,
    ) -> urllib.request.Request | None:
        before, after = urlsplit(request.full_url).scheme, urlsplit(to).scheme
        if after not in ("http", "https") or (before, after) == ("https", "http"):
            raise FetchError(f"{request.full_url} redirects to {to}, which is not followed", hint=_ELSEWHERE)
        return super().redirect_request(request, answer, code, message, headers, to)


_ELSEWHERE = f"from https only https is followed, and nothing else than http and https; {MIRROR}"


def _status_problem(address: str, problem: urllib.error.HTTPError, ranged: bool) -> Exception:
    status = f"{problem.code} {http.client.responses.get(problem.code, '')}".strip()
    if problem.code in (404, 410):
        return Missing(f"{address}: no such file ({status})", hint=f"it may have moved; {MIRROR}")
    if problem.code == 416 and ranged:
        found = re.fullmatch(r"bytes \*/(\d+)", problem.headers.get("Content-Range", ""))
        return NoSuchRange(int(found[1]) if found else None)
    if problem.code in _AGAIN:
        return TryAgain(f"{address}: the server answers {status}", _retry_after(problem.headers))
    if problem.code in (301, 302, 303, 307, 308):
        where = problem.headers.get("Location", "nowhere")
        return FetchError(
            f"{address}: redirections do not end, or lead where none may (last to {where})", hint=_ELSEWHERE
        )
    if problem.code == 407:
        return FetchError(f"{address}: the proxy wants to know who asks ({status})", hint=_OFFLINE)
    return FetchError(f"{address}: the server answers {status}", hint=MIRROR)


def _retry_after(headers: Message) -> float | None:
    told = headers.get("Retry-After", "").strip()
    if told.isascii() and told.isdigit():
        return float(told)
    try:
        return max(0.0, parsedate_to_datetime(told).timestamp() - time.time())
    except (ValueError, TypeError, OverflowError):
        return None


def _connection_problem(address: str, problem: object) -> Exception:
    if isinstance(problem, ssl.SSLCertVerificationError):
        return FetchError(
            f"{_host(address)}: its certificate cannot be trusted ({problem.verify_message})",
            hint="a proxy may be in between; SSL_CERT_FILE names the certificates to trust",
        )
    if isinstance(problem, (socket.gaierror, ConnectionRefusedError)):
        return Unreachable(f"cannot reach {_host(address)}: {_reason(problem)}", hint=_OFFLINE)
    if isinstance(problem, TimeoutError):
        return TryAgain(f"no answer from {_host(address)}")
    if isinstance(problem, (ConnectionError, http.client.HTTPException, ssl.SSLError)):
        return TryAgain(f"the connection to {_host(address)} broke ({_reason(problem)})")
    return Unreachable(f"cannot reach {_host(address)}: {_reason(problem)}", hint=_OFFLINE)


def _host(address: str) -> str:
    return urlsplit(address).netloc.rpartition("@")[2]


def _reason(problem: object) -> str:
    told = getattr(problem, "strerror", None) or str(problem)
    return told or type(problem).__name__
