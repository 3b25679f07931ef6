"""Who may ask: anybody, or whoever knows the token; and under which name."""

from __future__ import annotations

import hmac
import ipaddress
from collections.abc import Collection, Iterable

from .errors import ApiError


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


def require_host(headers: Iterable[tuple[bytes, bytes]], names: Collection[bytes]) -> None:
    """Keeps out pages from elsewhere whose own name has been made to lead here: browsers take all of it for theirs.

    Such a page has a name. So an address is always right, and so is no Host at all, which no browser sends.

    Raises:
        ApiError: 403, called by another name.
    """
    for name, value in headers:
        if name == b"host" and (called := _without_port(value)) not in names and not _is_address(called):
            raise ApiError(
                403,
                f"this server is not called {called.decode('latin-1')}; its --allow-host says what it is called",
                "unknown_host",
            )


def _without_port(host: bytes) -> bytes:
    """
    >>> _without_port(b"Localhost:8000"), _without_port(b"[::1]:80"), _without_port(b"[::1]")
    (b'localhost', b'[::1]', b'[::1]')
    """
    name, colon, port = host.rpartition(b":")
    return (name if colon and port.isdigit() else host).lower()


def _is_address(host: bytes) -> bool:
    try:
        ipaddress.ip_address(host.decode("latin-1").removeprefix("[").removesuffix("]"))
    except ValueError:
        return False
    return True


def _is_token(given: bytes, token: bytes) -> bool:
    scheme, _, value = given.partition(b" ")
    return scheme.lower() == b"bearer" and hmac.compare_digest(value.strip(), token)
