"""Names of a package imported when they are asked for, so that some can be had without what lies beside them."""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False  # without typing: see calque/__init__.py
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any


def lazily(package: str, homes: Mapping[str, str]) -> Callable[[str], Any]:
    """A package's `__getattr__`; `homes` says in which of its modules each name lies."""

    def find(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(f".{homes[name]}", package), name)

    return find
