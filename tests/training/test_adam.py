"""Adam on a table of which a step touches some rows, against Adam on all of it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from calque.training.adam import RowAdam, adam_step

torch = pytest.importorskip("torch")


def test_a_step_is_pytorchs_own() -> None:
    draw = np.random.default_rng(1)
    values = torch.from_numpy(draw.standard_normal((7, 5)))
    theirs = values.clone().requires_grad_()
    optimiser = torch.optim.Adam([theirs], lr=0.01)
    first, second = torch.zeros_like(values), torch.zeros_like(values)
    for step in range(1, 30):
        theirs.grad = torch.from_numpy(draw.standard_normal((7, 5)))
        optimiser.step()
        adam_step(values, first, second, theirs.grad, 0.01, step)
    np.testing.assert_allclose(values, theirs.detach(), rtol=0, atol=1e-8)


def row_adam(rows: int) -> RowAdam:
    values = torch.from_numpy(np.random.default_rng(2).standard_normal((rows, 6)))
    nothing = (torch.zeros_like(values) for _ in range(2))
    return RowAdam(values, *nothing, np.zeros(rows, np.uint32), np.zeros(0, np.float32))


@given(
    touched=st.lists(st.sets(st.integers(0, 9), min_size=1), min_size=1, max_size=40),
    scale=st.sampled_from([1.0, 1e-3]),
    rates=st.sampled_from([(0.01,), (0.02, 0.0, 0.001)]),
)
@settings(max_examples=40)
def test_rows_without_gradient_drift_as_under_dense_adam(touched: list[set[int]], scale: float, rates: Any) -> None:
    table, draw = row_adam(10), np.random.default_rng(3)
    dense = table.values.clone()
    first, second = torch.zeros_like(dense), torch.zeros_like(dense)
    for number, chosen in enumerate(touched):
        rows, rate = np.array(sorted(chosen)), rates[number % len(rates)]
        slope = torch.from_numpy(scale * draw.standard_normal((len(rows), 6)))
        table.catch_up(rows)
        np.testing.assert_allclose(table.values[rows], dense[rows], rtol=0, atol=1e-6)
        table.step(rows, slope, rate)
        gradient = torch.zeros_like(dense)
        gradient[rows] = slope
        adam_step(dense, first, second, gradient, rate, number + 1)
    np.testing.assert_allclose(table.settled(), dense, rtol=0, atol=1e-6)


def test_rows_left_alone_for_hundreds_of_steps_drift_as_under_dense_adam() -> None:
    table, draw = row_adam(4), np.random.default_rng(4)
    dense = table.values.clone()
    first, second = torch.zeros_like(dense), torch.zeros_like(dense)
    for step in range(1, 400):
        rows = np.array([0, 1]) if step in (5, 390) else np.array([2])
        slope = torch.from_numpy(draw.standard_normal((len(rows), 6)))
        table.catch_up(rows)
        table.step(rows, slope, 0.01)
        gradient = torch.zeros_like(dense)
        gradient[rows] = slope
        adam_step(dense, first, second, gradient, 0.01, step)
    np.testing.assert_allclose(table.settled(), dense, rtol=0, atol=1e-5)
    np.testing.assert_array_equal(table.settled()[3], table.values[3])


def test_looking_at_the_rows_does_not_change_them() -> None:
    table = row_adam(5)
    table.step(np.array([1, 2]), torch.ones(2, 6, dtype=torch.float64), 0.1)
    table.step(np.array([3]), torch.ones(1, 6, dtype=torch.float64), 0.1)
    before = table.values.clone()
    assert (table.settled() != before).any()
    np.testing.assert_array_equal(table.values, before)
    assert table.current.tolist() == [0, 1, 1, 2, 0]
