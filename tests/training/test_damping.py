"""Rows brought nearer to one length."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from calque.errors import UsageError
from calque.training import TrainingConfig
from calque.training.damping import damped


def rows_of(seed: int) -> np.ndarray:
    draw = np.random.default_rng(seed)
    rows = draw.standard_normal((12, 5)) * draw.uniform(0.1, 50, (12, 1))
    rows[draw.integers(12)] = 0
    return rows.astype(np.float32)


@given(st.integers(0, 50), st.floats(0, 1))
def test_lengths_are_raised_to_what_is_left_of_one_and_directions_stay(seed: int, power: float) -> None:
    rows = rows_of(seed)
    lengths, after = np.linalg.norm(rows, axis=1), np.linalg.norm(damped(rows, power), axis=1)
    live = lengths > 0
    mean = lengths[live].mean()
    np.testing.assert_allclose(after[live], mean * (lengths[live] / mean) ** (1 - power), rtol=1e-4)
    cosines = (rows * damped(rows, power)).sum(axis=1)[live] / lengths[live] / after[live]
    np.testing.assert_allclose(cosines, 1, rtol=1e-5)


def test_rows_of_zeros_stay_and_nothing_is_damped_by_nothing() -> None:
    rows = rows_of(1)
    assert (damped(rows, 0.5)[~rows.any(axis=1)] == 0).all()
    assert damped(rows, 0) is rows
    assert not damped(np.zeros((3, 4), np.float32), 0.5).any()


def test_a_blstm_has_no_rows_to_damp() -> None:
    with pytest.raises(UsageError, match="damping shortens the rows of an average"):
        TrainingConfig.of("calque", encoder="blstm", damping=0.4)
