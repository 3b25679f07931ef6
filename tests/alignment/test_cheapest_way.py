"""The search against plain loops: costs of blocks, the cheapest way, whole and in a band."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from slow_alignment import SlowCosts, cheapest, cost_of

from calque import _kernel
from calque.alignment.align import find_way, shapes_up_to
from calque.alignment.band import Band, Step
from calque.alignment.costs import BlockCosts, Weights
from calque.alignment.document import Document
from calque.alignment.search import cheapest_way

WEIGHTS = Weights(skip=0.4, block=0.15, length=0.2)


def document(draw: np.random.Generator, sentences: int, dimension: int = 8) -> Document:
    means = draw.standard_normal((sentences, dimension)).astype(np.float32) + np.float32(0.3)
    return Document.of(means, ["x" * length for length in draw.integers(1, 30, sentences)])


@given(sources=st.integers(1, 9), targets=st.integers(1, 9), max_size=st.integers(2, 6), seed=st.integers(0, 1 << 20))
@settings(max_examples=60)
def test_the_way_is_the_cheapest_and_costs_what_its_blocks_do(
    sources: int, targets: int, max_size: int, seed: int
) -> None:
    draw = np.random.default_rng(seed)
    source, target = document(draw, sources), document(draw, targets)
    shapes, band = shapes_up_to(max_size), Band.full(sources, targets)
    way = cheapest_way(BlockCosts(source, target, shapes, WEIGHTS), band)
    slow = SlowCosts(source, target, WEIGHTS)
    assert np.sum(way.steps, axis=0).tolist() == [sources, targets]
    assert all(step in shapes or sum(step) == 1 for step in way.steps)
    assert way.cost == pytest.approx(cost_of(slow, way.steps), rel=1e-4)
    assert way.cost == pytest.approx(cheapest(slow, shapes, band), rel=1e-4)


@st.composite
def bands(draw: st.DrawFn) -> Band:
    """Any rows of columns that never go back and that some way leads through."""
    targets = draw(st.integers(1, 9))
    ends = st.lists(st.integers(0, targets), min_size=1, max_size=9)
    rows = sorted(draw(ends))
    wider = sorted(min(targets, each + draw(st.integers(0, 4))) for each in rows)
    first, last = np.array([0, *rows]), np.array([*wider, targets])
    assume((first <= last).all())
    return Band(first, last)


@given(band=bands(), seed=st.integers(0, 1 << 20))
@settings(max_examples=60)
def test_inside_a_band_the_way_is_the_cheapest_there(band: Band, seed: int) -> None:
    draw = np.random.default_rng(seed)
    source, target = document(draw, len(band.first) - 1), document(draw, int(band.last[-1]))
    shapes = shapes_up_to(4)
    slow = SlowCosts(source, target, WEIGHTS)
    way = cheapest_way(BlockCosts(source, target, shapes, WEIGHTS), band)
    assert way.cost == pytest.approx(cheapest(slow, shapes, band), rel=1e-4)
    for row, column in np.cumsum(way.steps, axis=0).tolist():
        assert band.first[row] <= column <= band.last[row]


@given(sources=st.integers(3, 40), targets=st.integers(3, 40), seed=st.integers(0, 1 << 20))
@settings(max_examples=40)
def test_coarse_to_fine_in_a_band_as_wide_as_the_documents_is_the_plain_search(
    sources: int, targets: int, seed: int
) -> None:
    draw = np.random.default_rng(seed)
    source, target = document(draw, sources), document(draw, targets)
    costs = BlockCosts(source, target, shapes_up_to(5), WEIGHTS)
    whole = cheapest_way(costs, Band.full(sources, targets))
    assert find_way(source, target, costs, small=9, width=40) == whole


def test_rows_come_in_any_number_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    draw = np.random.default_rng(5)
    costs = BlockCosts(document(draw, 40), document(draw, 45), shapes_up_to(5), WEIGHTS)
    whole = cheapest_way(costs, Band.full(40, 45))
    for rows, cells in ((1, 1000), (7, 1000), (64, 46)):
        monkeypatch.setattr("calque.alignment.costs._ROWS", rows)
        monkeypatch.setattr("calque.alignment.costs._CELLS", cells)
        found = cheapest_way(costs, Band.full(40, 45))
        assert (found.steps, found.cost) == (whole.steps, pytest.approx(whole.cost, rel=1e-5))


def test_distances_of_chosen_blocks_are_those_of_the_text() -> None:
    draw = np.random.default_rng(6)
    source, target = document(draw, 6), document(draw, 7)
    shape, rows, columns = Step(2, 3), np.array([2, 6]), np.array([3, 7])
    found = BlockCosts(source, target, [shape], WEIGHTS).distances(shape, rows, columns)
    slow = SlowCosts(source, target, WEIGHTS)
    expected = [slow.distance(shape, row, column) for row, column in zip(rows, columns, strict=True)]
    np.testing.assert_allclose(found, expected, rtol=1e-4)


@given(
    steps=st.lists(st.sampled_from([Step(1, 1), Step(1, 2), Step(2, 1), Step(1, 0), Step(0, 1)]), min_size=1),
    odd=st.booleans(),
)
def test_a_band_holds_the_coarser_way_and_never_goes_back(steps: list[Step], odd: bool) -> None:
    nodes = np.cumsum([(0, 0), *steps], axis=0)
    sources, targets = np.maximum(2 * nodes[-1] - odd, 0).tolist()
    band = Band.around(steps, sources, targets, width=1)
    assert (band.first[0], band.last[-1]) == (0, targets)
    assert (np.diff(band.first) >= 0).all()
    assert (np.diff(band.last) >= 0).all()
    assert (band.first[1:] <= band.last[:-1]).all()
    for row, column in nodes[[0, -1]]:
        at = min(2 * row, sources)
        assert band.first[at] <= min(2 * column, targets) <= band.last[at]
    between = [at for at in range(1, len(steps)) if all(steps[at - 1]) or all(steps[at])]
    for row, column in nodes[between]:
        at = min(2 * row, sources)
        assert band.first[at] <= min(2 * column, targets) <= band.last[at]


def test_a_way_that_skips_both_sides_is_searched_around_a_straight_line() -> None:
    band = Band.around([Step(1, 0)] * 20 + [Step(0, 1)] * 20, 40, 40, width=2)
    assert (band.first[20], band.last[20]) == (16, 24)
    assert band.last[-1] == 40


def lattice() -> dict[str, Any]:
    """One source, one target, and the block of both."""
    return {
        "first": np.array([0, 0]),
        "last": np.array([1, 1]),
        "offsets": np.array([0, 2, 4]),
        "shapes": np.array([[1, 1]]),
        "costs": np.array([[np.inf, np.inf, np.inf, 0.5]], np.float32),
        "skip": 0.4,
        "begin": 0,
        "end": 2,
        "total": np.empty(4),
        "step": np.empty(4, np.uint8),
    }


def test_the_kernel_takes_the_cheaper_of_a_block_and_two_skips() -> None:
    given = lattice()
    _kernel.advance(**given)
    np.testing.assert_allclose(given["total"], [0, 0.4, 0.4, 0.5])
    assert given["step"][1:].tolist() == [_kernel.SKIP_TARGET, _kernel.SKIP_SOURCE, 0]
    _kernel.advance(**(given | {"skip": 0.2}))
    assert given["total"][3] == pytest.approx(0.4)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"end": 3}, "no such rows"),
        ({"begin": 2, "end": 1}, "no such rows"),
        ({"last": np.array([1])}, "one first and last a row"),
        ({"offsets": np.array([0, 2, 5])}, "one total and one step a node"),
        ({"offsets": np.array([0, 1, 4])}, "offsets do not fit"),
        ({"last": np.array([1, (1 << 63) - 1])}, "offsets do not fit"),
        ({"offsets": np.array([0, -(1 << 63), 4])}, "offsets do not fit"),
        ({"offsets": np.array([(1 << 63) - 1, 2, 4])}, "one total and one step a node"),
        ({"first": np.array([0, -1])}, "at least one node"),
        ({"total": np.empty(3), "step": np.empty(3, np.uint8)}, "one total and one step a node"),
        ({"step": np.empty(3, np.uint8)}, "one total and one step a node"),
        ({"shapes": np.array([[1, 0]])}, "sentences of both documents"),
        ({"shapes": np.array([[1, 1], [1, 2]])}, "one row of costs a shape"),
        ({"costs": np.zeros((1, 3), np.float32)}, "one cost a node and shape"),
    ],
)
def test_the_kernel_refuses_what_does_not_fit(change: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        _kernel.advance(**(lattice() | change))
