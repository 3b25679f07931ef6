"""Estimated precision and recall in words: each with its range, or not at all."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_NAMES = ("precision", "recall")


def estimated_shares(expected: Mapping[str, Any]) -> str:
    """
    >>> estimated_shares({"precision": 0.91, "precision_range": (0.85, 0.96), "recall": None})
    'precision 91% (85–96%)'
    """
    return ", ".join(_share(name, expected) for name in _NAMES if expected[name] is not None)


def untold_shares(expected: Mapping[str, Any]) -> str:
    """
    >>> untold_shares({"precision": 0.91, "recall": None})
    'recall'
    """
    return " and ".join(name for name in _NAMES if expected[name] is None)


def _share(name: str, expected: Mapping[str, Any]) -> str:
    told = f"{name} {expected[name]:.0%}"
    if expected.get(f"{name}_range") is None:
        return told
    low, high = expected[f"{name}_range"]
    return f"{told} ({100 * low:.0f}–{high:.0%})"
