"""Labels of points do not hide one another while there is room."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from calque.paper.labels import place_labels

FRAME = (0.0, 0.0, 100.0, 100.0)
coordinates = st.floats(0, 100, width=16)
sizes = st.tuples(st.floats(1, 20), st.floats(1, 5))


def boxes(points: list[tuple[float, float]], size: tuple[float, float], gap: float = 2) -> list[np.ndarray]:
    middles = place_labels(np.array(points, float), [size] * len(points), gap, FRAME)
    return [np.concatenate([middle - np.array(size) / 2, middle + np.array(size) / 2]) for middle in middles]


def common(one: np.ndarray, two: np.ndarray) -> float:
    width, height = np.minimum(one[2:], two[2:]) - np.maximum(one[:2], two[:2])
    return float(max(width, 0) * max(height, 0))


def test_a_point_by_itself_has_its_name_to_the_right() -> None:
    assert place_labels(np.array([[50.0, 50.0]]), [(10, 4)], 2, FRAME) == pytest.approx(np.array([[57.0, 50.0]]))


@pytest.mark.parametrize("point", [(0, 0), (100, 0), (0, 100), (100, 100), (50, 100), (99, 50)])
def test_names_at_the_edge_stay_inside(point: tuple[float, float]) -> None:
    (box,) = boxes([point], (10, 4))
    assert (box >= 0).all()
    assert (box <= 100).all()


def test_a_crowd_of_eight_can_all_be_read() -> None:
    points = [(50 + 4 * x, 50 + 4 * y) for x in range(4) for y in range(2)]
    made = boxes(points, (6, 3))
    assert all(common(one, two) == pytest.approx(0) for one, two in combinations(made, 2))


def test_points_at_the_same_place_have_their_names_around_it() -> None:
    made = boxes([(50, 50)] * 8, (6, 3))
    assert all(common(one, two) == pytest.approx(0) for one, two in combinations(made, 2))


def test_no_points_have_no_labels() -> None:
    assert place_labels(np.zeros((0, 2)), [], 2, FRAME).shape == (0, 2)


@given(st.lists(st.tuples(st.tuples(coordinates, coordinates), sizes), max_size=12))
def test_names_stay_near_their_points(points: list[tuple[tuple[float, float], tuple[float, float]]]) -> None:
    where, extents = np.array([point for point, _ in points]).reshape(-1, 2), [size for _, size in points]
    middles = place_labels(where, extents, 2, FRAME)
    assert (np.abs(middles - where) <= np.array(extents).reshape(-1, 2) / 2 + 2 * 4 + 1e-9).all()
    assert (middles == place_labels(where, extents, 2, FRAME)).all()
