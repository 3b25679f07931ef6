"""Values of JSON that Calque has written once: each is of the type it was written with, or the file is damaged."""

from __future__ import annotations

import json
from typing import Any, TypeVar

Value = TypeVar("Value")


def load(text: str | bytes) -> Any:
    """What JSON says; Python alone would end in a RecursionError where brackets nest too deeply.

    Raises:
        ValueError: it is no JSON, or nested so.
    """
    try:
        return json.loads(text)
    except RecursionError as problem:
        raise ValueError("nested too deeply") from problem


def get(saved: Any, name: str, type: type[Value]) -> Value:
    """
    Raises:
        ValueError: nothing of that name, or something else.
    """
    if not isinstance(saved, dict) or name not in saved:
        raise ValueError(f"there is no `{name}`")
    value: Any = saved[name]
    if not is_a(value, type):
        raise ValueError(f"expected `{name}` to be {type.__name__}, got {value!r}")
    return value  # type: ignore[no-any-return]


def optional(saved: Any, name: str, type: type[Value]) -> Value | None:
    return None if isinstance(saved, dict) and saved.get(name, 0) is None else get(saved, name, type)


def later(saved: Any, name: str, type: type[Value]) -> Value | None:
    """As optional, of what the first versions did not write."""
    return None if isinstance(saved, dict) and name not in saved else optional(saved, name, type)


def count(saved: Any, name: str, least: int = 0, most: int = (1 << 63) - 1) -> int:
    """A whole number that an array can be as long as."""
    value = get(saved, name, int)
    if not least <= value <= most:
        raise ValueError(f"expected `{name}` to be {least} to {most}, got {value}")
    return value


def texts(saved: Any, name: str) -> tuple[str, ...]:
    listed = get(saved, name, list)
    if not all(is_a(each, str) for each in listed):
        raise ValueError(f"expected `{name}` to be a list of texts, got {listed!r}")
    return tuple(listed)


def is_a(value: Any, type: type) -> bool:
    """As JSON has it: a whole number may stand for any number, but no truth for a number.

    Text with a lone surrogate, which JSON can express, is none: it could not be written again.
    """
    if type is str:
        return isinstance(value, str) and not any("\ud800" <= character <= "\udfff" for character in value)
    accepted = (int, float) if type is float else type
    return isinstance(value, accepted) and (type is bool or not isinstance(value, bool))
