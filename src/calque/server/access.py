"""Who may ask: anybody, or whoever knows the token; and under which name."""

from __future__ import annotations

import hmac
import ipaddress
import re
from collections.abc import Collection, Iterable
from functools import lru_cache
from typing import NamedTuple

from .errors import ApiError

# RFC 3986's host, and a port.
_HOST = re.compile(
    rb"[ \t]*(?P<name>\[[0-9A-Fa-f:.]+\]|(?:[A-Za-z0-9._~!$&'()*+,;=-]|%[0-9A-Fa-f]{2})+)(?::[0-9]{0,5})?[ \t]*"
)
_BEFORE_HOST = ("0.9", "1.0")


def require_token(headers: Iterable[tuple[bytes, bytes]], token: bytes) -> None:
    """Compares in a time that does not tell how much of a guess was right.

    Raises:
        ApiError: 401, no token, another one, or several headers, of which a proxy in front may have checked any.
    """
    given = [value for name, value in headers if name == b"authorization"]
    if len(given) == 1 and _is_token(given[0], token):
        return
    if len(given) > 1:
        said = f"{len(given)} Authorization headers were"
    else:
        said = "another token was" if any(given) else "no token was"
    raise ApiError(
        401,
        f"{said} given; send the header Authorization: Bearer TOKEN",
        "invalid_api_key",
        headers=((b"www-authenticate", b"Bearer"),),
    )


def require_host(headers: Iterable[tuple[bytes, bytes]], version: str, names: Collection[bytes] | None) -> None:
    """Keep out pages from elsewhere whose own name has been made to lead here: browsers take all of it for theirs.

    Such a page has a name, so an address is always right. `names` are those of this server; None allows any. A request
    has exactly one Host, as HTTP demands; only HTTP/1.0 may leave it out, and only where names do not matter.

    Raises:
        ApiError: 400, no Host, several or a malformed one; 403, called by another name.
    """
    given = [value for name, value in headers if name == b"host"]
    if not given and names is None and version in _BEFORE_HOST:
        return
    if len(given) != 1:
        raise _bad_host(f"expected one Host header, got {len(given) or 'none'}")
    host = _host(given[0])
    if host is None:
        raise _bad_host(f"expected a Host header such as localhost:8000, got {given[0].decode('latin-1')!r}")
    if names is not None and not host.is_address and host.name not in names:
        raise ApiError(
            403,
            f"this server is not called {host.name.decode()}; its --allow-host says what it is called",
            "unknown_host",
        )


class _Host(NamedTuple):
    name: bytes
    is_address: bool


@lru_cache(64)  # clients send the same again and again, and to parse an address takes longer than all else here
def _host(value: bytes) -> _Host | None:
    """
    >>> _host(b"Localhost:8000"), _host(b"[::1]:80"), _host(b"[::1")
    (_Host(name=b'localhost', is_address=False), _Host(name=b'[::1]', is_address=True), None)
    """
    found = _HOST.fullmatch(value)
    if found is None:
        return None
    name = found["name"].lower()
    is_address = _is_address(name)
    return None if name.startswith(b"[") and not is_address else _Host(name, is_address)


def _bad_host(said: str) -> ApiError:
    return ApiError(400, said, "invalid_host")


def _is_address(host: bytes) -> bool:
    try:
        ipaddress.ip_address(host.decode("latin-1").removeprefix("[").removesuffix("]"))
    except ValueError:
        return False
    return True


def _is_token(given: bytes, token: bytes) -> bool:
    scheme, _, value = given.partition(b" ")
    return scheme.lower() == b"bearer" and hmac.compare_digest(value.strip(), token)
