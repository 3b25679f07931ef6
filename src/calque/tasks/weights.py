"""How often an epoch sees the pairs of each bitext."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase

from ..corpus import Bitext, PlainText
from ..errors import UsageError

MOST = 1000.0  # beyond, a number is likely a mistake, and an epoch's order may not fit in memory


def bitext_weights(bitexts: Sequence[Bitext | PlainText], weights: Mapping[str, float]) -> tuple[float, ...]:
    """One for each bitext, by the last pattern that fits its name; nothing where all are 1.

    Raises:
        UsageError: a pattern fits none, or a weight is no such number.
    """
    for pattern, weight in weights.items():
        if not 0 <= weight <= MOST:  # NaN included
            raise UsageError(f"weight of {pattern}: expected a number from 0 to {MOST:g}, got {weight}")
        if not any(_fits(bitext.name, pattern) for bitext in bitexts):
            names = ", ".join(bitext.name for bitext in bitexts)
            raise UsageError(
                f"a weight is given for {pattern}, but there is no such bitext", hint=f"there are: {names}"
            )
    chosen = tuple(weight_of(bitext.name, weights) for bitext in bitexts)
    if not any(chosen):
        raise UsageError("every bitext has the weight 0", hint="give one to learn from another, or none")
    return chosen if set(chosen) != {1.0} else ()


def weight_of(name: str, weights: Mapping[str, float]) -> float:
    """By the last that fits."""
    return [1.0, *(float(weight) for pattern, weight in weights.items() if _fits(name, pattern))][-1]


def _fits(name: str, pattern: str) -> bool:
    """A name is its own pattern, whatever characters it has."""
    return name == pattern or fnmatchcase(name, pattern)
