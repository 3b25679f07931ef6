"""The start of training, and the baseline to beat."""

from __future__ import annotations

import numpy as np

from calque.encoder import random_embeddings


def test_rows_are_drawn_from_the_standard_normal_distribution() -> None:
    rows = random_embeddings(2000, 100, seed=1)
    assert rows.shape == (2000, 100)
    assert rows.dtype == np.float32
    assert abs(rows.mean()) < 0.01
    assert abs(rows.std() - 1) < 0.01
    assert abs(np.mean(np.abs(rows) < 1) - 0.6827) < 0.01  # of a normal distribution, within one deviation
    assert np.abs(rows.std(axis=1) - 1).max() < 0.4
    assert np.abs(rows.mean(axis=0)).max() < 0.12


def test_the_unknown_row_is_zero_and_no_other() -> None:
    rows = random_embeddings(50, 16, seed=1, unknown=7)
    assert np.flatnonzero(~rows.any(axis=1)).tolist() == [7]
    assert random_embeddings(50, 16, seed=1).any(axis=1).all()


def test_the_seed_decides() -> None:
    np.testing.assert_array_equal(random_embeddings(10, 16, seed=5), random_embeddings(10, 16, seed=5))
    assert (random_embeddings(10, 16, seed=5) != random_embeddings(10, 16, seed=6)).all()
