"""How often an epoch sees the pairs of each bitext."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase

from ..corpus import Bitext
from ..errors import UsageError


def bitext_weights(bitexts: Sequence[Bitext], weights: Mapping[str, float]) -> tuple[float, ...]:
    """One for each bitext, by the last pattern that fits its name; nothing where all are 1.

    Raises:
        UsageError: a pattern fits none, or a weight is no such number.
    """
    for pattern, weight in weights.items():
        if not (math.isfinite(weight) and weight >= 0):
            raise UsageError(f"weight of {pattern}: expected a number from 0 on, got {weight}")
        if not any(fnmatchcase(bitext.name, pattern) for bitext in bitexts):
            names = ", ".join(bitext.name for bitext in bitexts)
            raise UsageError(
                f"a weight is given for {pattern}, but there is no such bitext", hint=f"there are: {names}"
            )
    chosen = tuple(_weight(bitext.name, weights) for bitext in bitexts)
    if not any(chosen):
        raise UsageError("every bitext has the weight 0", hint="leave out --weight for those to learn from")
    return chosen if set(chosen) != {1.0} else ()


def _weight(name: str, weights: Mapping[str, float]) -> float:
    return [1.0, *(weight for pattern, weight in weights.items() if fnmatchcase(name, pattern))][-1]
