"""The cheapest way from the beginning of two documents to their ends, inside a band."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .. import _kernel
from .band import Band, Step
from .costs import BlockCosts

_SKIPS = {_kernel.SKIP_SOURCE: Step(1, 0), _kernel.SKIP_TARGET: Step(0, 1)}


class Way(NamedTuple):
    steps: list[Step]
    cost: float


def cheapest_way(costs: BlockCosts, band: Band) -> Way:
    offsets = band.offsets
    shapes = np.array(costs.shapes, np.int64)
    total, step = np.empty(offsets[-1], np.float64), np.empty(offsets[-1], np.uint8)
    for rows in costs.over(band):
        _kernel.advance(
            *(band.first, band.last, offsets, shapes),
            *(rows.costs, costs.weights.skip, rows.begin, rows.end),
            *(total, step),
        )
    row, column = len(band.first) - 1, int(band.last[-1])
    steps = []
    while row or column:
        chosen = step[offsets[row] + column - band.first[row]]
        steps.append(_SKIPS[chosen] if chosen in _SKIPS else costs.shapes[chosen])
        row, column = row - steps[-1].source, column - steps[-1].target
    return Way(steps[::-1], float(total[-1]))
