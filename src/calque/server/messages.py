"""JSON in and out: requests are checked against their types, arrays of numbers are written straight from memory."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, TypeVar

import msgspec
import orjson

from .errors import ApiError

Message = TypeVar("Message")

# The escapes in JSON, those of a whole character together.
_ESCAPE = re.compile(
    rb"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(?P<lone>u[dD][89a-fA-F][0-9a-fA-F]{2})|.)",
    re.DOTALL,
)
_PLACE = re.compile(r" - at `\$\.?(?P<path>[^`]*)`$")
_DECODERS: dict[type, msgspec.json.Decoder[Any]] = {}


def decode(body: bytes, type: type[Message], advice: Callable[[str], str | None] = lambda problem: None) -> Message:
    """Half of a surrogate pair, which no text in UTF-8 can hold, becomes U+FFFD, as in files (surrogates.py).

    `advice` may have a better word for what is wrong.

    Raises:
        ApiError: 400, for a body that is not JSON or not of that type; says where.
    """
    decoder = _DECODERS.get(type) or _DECODERS.setdefault(type, msgspec.json.Decoder(type))
    try:
        message: Message = decoder.decode(body)
    except msgspec.ValidationError as problem:
        return _second_look(body, type, problem, advice)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as problem:
        whole = _without_halves(body)
        if whole != body:
            return decode(whole, type, advice)
        raise ApiError(400, f"the body is not JSON: {problem}", "invalid_json") from problem
    return message


def _without_halves(body: bytes) -> bytes:
    """
    >>> _without_halves(rb'"\\ud83d\\ude00 \\ud83d \\\\ud83d"')
    b'"\\\\ud83d\\\\ude00 \\\\ufffd \\\\\\\\ud83d"'
    """
    return _ESCAPE.sub(lambda escape: rb"\ufffd" if escape["lone"] else escape[0], body)


def _second_look(
    body: bytes, type: type[Message], problem: msgspec.ValidationError, advice: Callable[[str], str | None]
) -> Message:
    """To JSON, 3.0 is an integer: some clients have no others."""
    try:
        said = orjson.loads(_without_halves(body))
        if not isinstance(said, dict):
            raise problem
        return msgspec.convert({name: _whole(value) for name, value in said.items()}, type)
    except orjson.JSONDecodeError as malformed:
        raise ApiError(400, f"the body is not JSON: {malformed}", "invalid_json") from malformed
    except msgspec.ValidationError as still:
        raise _wrong(str(still), advice) from still


def _whole(value: Any) -> Any:
    return int(value) if isinstance(value, float) and value.is_integer() else value


def as_list(texts: str | list[str]) -> list[str]:
    """Where one text may stand for a list of one."""
    return [texts] if isinstance(texts, str) else texts


def numbers(array: Any) -> Any:
    """An array as JSON, in the fewest digits that give its numbers back."""
    return msgspec.Raw(orjson.dumps(array, option=orjson.OPT_SERIALIZE_NUMPY))


def _wrong(said: str, advice: Callable[[str], str | None]) -> ApiError:
    """Expected `str`, got `int` - at `$.input[0]`  becomes  input[0]: expected `str`, got `int`."""
    place = _PLACE.search(said)
    path = place["path"] if place else ""
    what = _PLACE.sub("", said)
    message = f"{path or 'the body'}: {what[:1].lower()}{what[1:]}"
    return ApiError(400, advice(message) or message, param=path or None)
