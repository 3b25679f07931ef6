"""Dropout leaves out elements of rows, anew for each occurrence at each step."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tiny import Tiny, random_rows, random_sentences

ROUNDS, DIMENSION = 500, 160


def left_out(rate: float, seed: int = 1) -> Any:
    """Which elements got no gradient: (rounds, 4, dimension).

    Each round is a step on two pairs of one row a side, so that each row occurs twice: in its pair and as a negative.
    Only an element dropped both times has no gradient, and no row is met in a second round.
    """
    source = [[4 * (pair // 2) + pair % 2] for pair in range(2 * ROUNDS)]
    target = [[4 * (pair // 2) + pair % 2 + 2] for pair in range(2 * ROUNDS)]
    tiny = Tiny(random_rows(4 * ROUNDS, DIMENSION), source, target, dropout=rate, margin=1.9, seed=seed)
    for number in range(ROUNDS):
        tiny.train([2 * number, 2 * number + 1])
    return (tiny.first == 0).reshape(ROUNDS, 4, DIMENSION)


@pytest.mark.parametrize("rate", [0.1, 0.3, 0.5])
def test_the_share_left_out_is_the_rate(rate: float) -> None:
    rate = round(256 * rate) / 256  # the kernel's own steps
    assert left_out(rate).mean() == pytest.approx(rate**2, rel=0.03)


def test_nothing_is_left_out_at_rate_zero() -> None:
    assert not left_out(0.0).any()


def test_every_column_is_left_out_as_often_as_the_others_and_independently() -> None:
    columns = left_out(0.5).reshape(-1, DIMENSION).astype(np.float64)  # (2000, dimension)
    deviation = np.sqrt(0.25 * 0.75 / len(columns))
    assert np.abs(columns.mean(axis=0) - 0.25).max() < 5 * deviation
    between = np.corrcoef(columns.T) - np.eye(DIMENSION)
    assert np.abs(between).max() < 6 / np.sqrt(len(columns))


def test_every_step_and_every_occurrence_draws_anew() -> None:
    masks = left_out(0.3)
    assert len({mask.tobytes() for mask in masks.reshape(-1, DIMENSION)}) == 4 * ROUNDS
    steps = masks.reshape(ROUNDS, -1).astype(np.float64)
    assert np.abs(np.corrcoef(steps[:-1].ravel(), steps[1:].ravel())[0, 1]) < 0.02


def test_the_seed_decides_what_is_left_out() -> None:
    np.testing.assert_array_equal(left_out(0.3, seed=1), left_out(0.3, seed=1))
    assert (left_out(0.3, seed=1) != left_out(0.3, seed=2)).any()


def test_on_average_dropout_changes_nothing() -> None:
    """The mean of so many occurrences is nearly that without dropout, and with it the loss."""
    sentences = [[row] * 3000 for row in range(16)]
    losses = [
        Tiny(random_rows(16), sentences[:8], sentences[8:], dropout=rate, margin=1.0).train(range(8))
        for rate in (0.0, 0.3)
    ]
    assert losses[1] == pytest.approx(losses[0], rel=0.01)
    short = [
        Tiny(random_rows(16), [[row] for row in range(8)], [[row] for row in range(8, 16)], dropout=rate, margin=1.0)
        for rate in (0.0, 0.3)
    ]
    assert short[1].train(range(8)) != pytest.approx(short[0].train(range(8)), rel=0.01)


@pytest.mark.parametrize("rate", [0.9, 0.99, 0.999])
def test_even_the_strongest_dropout_lets_something_be_learnt(rate: float) -> None:
    rows = random_rows(20, DIMENSION)
    tiny = Tiny(rows, random_sentences(16, 20, seed=1), random_sentences(16, 20, seed=2), dropout=rate)
    assert tiny.train(range(16)) > 0
    assert np.isfinite(tiny.settled()).all()
    assert (tiny.settled() != rows).any()
