"""A request's headers and body off the wire, and an answer onto it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from http import HTTPStatus
from typing import Any, NamedTuple

from .budget import Holding
from .errors import ApiError, error_body

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Headers = tuple[tuple[bytes, bytes], ...]

JSON = b"application/json"
CLOSING = (b"connection", b"close")

_PIECE = 64 << 10  # bytes of a large answer that are sent at a time, so that the transport need not hold all

_STATUS_LINES = {status.value: f"HTTP/1.1 {status.value} {status.phrase}\r\n".encode() for status in HTTPStatus}


class Disconnected(Exception):
    """The client has gone; there is nobody to answer."""


class Answer(NamedTuple):
    body: bytes
    type: bytes = JSON
    status: int = 200
    headers: Headers = ()


def answer_of(error: ApiError) -> Answer:
    return Answer(error_body(error), status=error.status, headers=error.headers)


async def read_body(headers: dict[bytes, bytes], receive: Receive, most: int, holding: Holding) -> bytes:
    """
    Raises:
        ApiError: 413, longer than `most`, as soon as that is known; 503, there is no room for it.
    """
    length = headers.get(b"content-length", b"")
    if length.isdigit() and int(length) > most:
        raise _too_long(most)
    parts: list[bytes] = []
    size, more = 0, True
    while more:
        holding.await_client()
        message = await _next(receive)
        parts.append(message.get("body", b""))
        size, more = size + len(parts[-1]), message.get("more_body", False)
        if size > most:
            raise _too_long(most)
        holding.hold(size)
    holding.await_server()
    return parts[0] if len(parts) == 1 else b"".join(parts)


async def _next(receive: Receive) -> MutableMapping[str, Any]:
    message = await receive()
    if message["type"] == "http.disconnect":
        raise Disconnected
    return message


def require_json(headers: dict[bytes, bytes]) -> None:
    """Also keeps out what a page from elsewhere may send by a browser without being asked: it can't send this type.

    Raises:
        ApiError: 415, something else.
    """
    type = headers.get(b"content-type", b"").partition(b";")[0].strip().lower()
    if type != JSON:
        got = type.decode("latin-1") or "none"
        raise ApiError(415, f"expected Content-Type: application/json, got {got}", "unsupported_media_type")
    coding = headers.get(b"content-encoding", b"identity").lower()
    if coding != b"identity":
        got = coding.decode("latin-1")
        raise ApiError(415, f"expected a body as it is, without Content-Encoding, got {got}", "unsupported_media_type")


def _too_long(most: int) -> ApiError:
    return ApiError(413, f"the body is larger than {most:,} bytes", "body_too_large", headers=(CLOSING,))


async def send_answer(answer: Answer, send: Send, holding: Holding) -> None:
    holding.await_client()
    await send({"type": "http.response.start", "status": answer.status, "headers": _headers(answer)})
    more, end = True, 0
    while more:
        begin, end = end, end + _PIECE
        more = end < len(answer.body)
        await send({"type": "http.response.body", "body": answer.body[begin:end], "more_body": more})
        holding.await_client()


def written(answer: Answer, more: Iterable[tuple[bytes, bytes]] = ()) -> bytes:
    """As it goes over the wire, with `more` headers."""
    lines = [_STATUS_LINES[answer.status]]
    for name, value in (*more, *_headers(answer)):
        lines += name, b": ", value, b"\r\n"
    return b"".join((*lines, b"\r\n", answer.body))


def _headers(answer: Answer) -> Headers:
    return (b"content-type", answer.type), (b"content-length", b"%d" % len(answer.body)), *answer.headers
