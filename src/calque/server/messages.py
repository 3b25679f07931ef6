"""JSON in and out: requests are checked against their types, arrays of numbers are written straight from memory."""

from __future__ import annotations

import re
from typing import Any, TypeVar

import msgspec
import orjson

from .errors import ApiError

Message = TypeVar("Message")

_PLACE = re.compile(r" - at `\$\.?(?P<path>[^`]*)`$")
_DECODERS: dict[type, msgspec.json.Decoder[Any]] = {}


def decode(body: bytes, type: type[Message]) -> Message:
    """
    Raises:
        ApiError: 400, for a body that is not JSON or not of that type; says where.
    """
    decoder = _DECODERS.get(type) or _DECODERS.setdefault(type, msgspec.json.Decoder(type))
    try:
        message: Message = decoder.decode(body)
    except msgspec.ValidationError as problem:
        raise _wrong(str(problem)) from problem
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as problem:
        raise ApiError(400, f"the body is not JSON: {problem}", "invalid_json") from problem
    return message


def numbers(array: Any) -> Any:
    """An array as JSON, in the fewest digits that give its numbers back."""
    return msgspec.Raw(orjson.dumps(array, option=orjson.OPT_SERIALIZE_NUMPY))


def _wrong(message: str) -> ApiError:
    place = _PLACE.search(message)
    if place is None or not place["path"]:
        return ApiError(400, f"the body: {_lower(_PLACE.sub('', message))}")
    return ApiError(400, f"{place['path']}: {_lower(_PLACE.sub('', message))}", param=place["path"])


def _lower(message: str) -> str:
    return message[:1].lower() + message[1:]
