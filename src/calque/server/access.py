"""Who may ask: anybody, or whoever knows the token."""

from __future__ import annotations

import hmac

from .errors import ApiError


def require_token(headers: dict[bytes, bytes], token: bytes) -> None:
    """Compares in a time that does not tell how much of a guess was right.

    Raises:
        ApiError: 401, no token or another one.
    """
    given = headers.get(b"authorization", b"")
    scheme, _, value = given.partition(b" ")
    if scheme.lower() == b"bearer" and hmac.compare_digest(value.strip(), token):
        return
    said = "another token" if given else "no token"
    raise ApiError(
        401,
        f"{said} was given; send the header Authorization: Bearer TOKEN",
        "invalid_api_key",
        headers=((b"www-authenticate", b"Bearer"),),
    )
