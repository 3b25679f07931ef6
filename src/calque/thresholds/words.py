"""Estimated precision and recall in words: a share with its range, its range alone, or nothing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_NAMES = ("precision", "recall")


def estimated_shares(expected: Mapping[str, Any]) -> str:
    """
    >>> estimated_shares({"precision": 0.91, "precision_range": (0.85, 0.96), "recall": None})
    'precision 91% (85–96%)'
    >>> estimated_shares({"precision": None, "precision_range": (0.70, 0.96), "recall": None})
    'precision 70–96%'
    """
    return ", ".join(_share(name, expected) for name in _NAMES if _is_told(name, expected))


def untold_shares(expected: Mapping[str, Any], doubt: str) -> str:
    """
    >>> untold_shares({"precision": 0.91, "recall": None}, "right and wrong pairs score too much alike")
    'recall cannot be estimated: right and wrong pairs score too much alike'
    >>> untold_shares({"precision": 0.91, "recall": 0.95}, "")
    ''
    """
    names = " and ".join(name for name in _NAMES if not _is_told(name, expected))
    return f"{names} cannot be estimated: {doubt}" if names else ""


def _share(name: str, expected: Mapping[str, Any]) -> str:
    share, around = expected[name], expected.get(f"{name}_range")
    if around is None:
        return f"{name} {share:.0%}"
    low, high = around
    return f"{name} {100 * low:.0f}–{high:.0%}" if share is None else f"{name} {share:.0%} ({100 * low:.0f}–{high:.0%})"


def _is_told(name: str, expected: Mapping[str, Any]) -> bool:
    return expected[name] is not None or expected.get(f"{name}_range") is not None
