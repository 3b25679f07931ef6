"""Who may ask: anybody, or whoever knows the token; and under which name."""

from __future__ import annotations

import hmac
import ipaddress
import re
from collections.abc import Collection, Iterable

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
    host = _HOST.fullmatch(given[0])
    if host is None or (host["name"].startswith(b"[") and not _is_address(host["name"])):
        raise _bad_host(f"expected a Host header such as localhost:8000, got {given[0].decode('latin-1')!r}")
    called = host["name"].lower()
    if names is not None and called not in names and not _is_address(called):
        raise ApiError(
            403, f"this server is not called {called.decode()}; its --allow-host says what it is called", "unknown_host"
        )


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
