"""Where to write the name of each point of a plot, so that names hide neither points nor one another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

# East first: that is where a reader looks. North is up.
_WAYS = np.array([(1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1)], np.float64)
_STEPS = _WAYS / np.linalg.norm(_WAYS, axis=1, keepdims=True)
_RINGS = (1.0, 2.5, 4.0)  # distances from the point; further out only where there is no room
_ROUNDS = 4  # labels that came first may move again once all have a place
_OUTSIDE = 10.0  # as bad as hiding that many times the same area of another label


def place_labels(
    points: Array, sizes: Sequence[tuple[float, float]], gap: float, frame: tuple[float, float, float, float]
) -> Array:
    """The middle of each label, for points with labels of some widths and heights, all in the same unit.

    Greedy: each label in turn takes the place among eight ways and three distances where it covers least of the other
    labels and of the points, and stays inside the frame (left, bottom, right, top). Between a point and its label is
    room of `gap`, most of which the point's mark takes.
    """
    extents = np.array(sizes, np.float64).reshape(-1, 2)
    markers = _boxes(points, np.array([1.4 * gap, 1.4 * gap]))  # (points, 4): left, bottom, right, top
    places = points + gap + extents / 2
    boxes = _boxes(places, extents)
    placed = np.zeros(len(points), bool)
    for _ in range(_ROUNDS):
        for at, (point, extent) in enumerate(zip(points, extents, strict=True)):
            others = placed.copy()
            others[at] = False
            candidates = np.concatenate([point + _WAYS * extent / 2 + _STEPS * gap * ring for ring in _RINGS])
            covering = _boxes(candidates, extent)
            cost = _covered(covering, boxes[others]) + _covered(covering, markers)
            cost += _OUTSIDE * (extent.prod() - _covered(covering, np.array([frame])))
            cost += np.repeat(_RINGS, len(_WAYS)) * extent.prod() / 50  # near is better, if all else is the same
            best = int(np.argmin(np.round(cost, 6)))
            places[at], boxes[at], placed[at] = candidates[best], covering[best], True
    return places


def _boxes(middles: Array, extents: Array) -> Array:
    return np.concatenate([middles - extents / 2, middles + extents / 2], axis=1)


def _covered(boxes: Array, others: Array) -> Array:
    """The area of each box that lies in others, added up."""
    low = np.maximum(boxes[:, None, :2], others[None, :, :2])
    high = np.minimum(boxes[:, None, 2:], others[None, :, 2:])
    area: Array = np.clip(high - low, 0, None).prod(axis=2).sum(axis=1)
    return area
