"""Who may ask: anybody, or whoever knows the token."""

from __future__ import annotations

import hmac
from collections.abc import Iterable

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


def _is_token(given: bytes, token: bytes) -> bool:
    scheme, _, value = given.partition(b" ")
    return scheme.lower() == b"bearer" and hmac.compare_digest(value.strip(), token)
