"""Packages that only some uses need."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

from .errors import UsageError


def require(module: str, extra: str, purpose: str) -> ModuleType:
    """The module, or an error that says how to install it.

    Raises:
        UsageError: it is not installed.
    """
    try:
        return import_module(module)
    except ImportError as problem:
        raise UsageError(
            f"{purpose} needs the package {module.partition('.')[0]}, which is not installed",
            hint=f"pip install 'calque[{extra}]'",
        ) from problem
