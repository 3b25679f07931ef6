"""A mini-batch of a BLSTM: its loss and slopes are the twin's, and its noise is what was asked for."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from calque.encoder import random_parameters
from calque.encoder.packing import packs
from calque.encoder.pytorch import torch_crew
from calque.training.blstm_batch import MiniBatch, noisy_inputs, scrambled, slopes
from calque.vocabulary import Tokens
from lstm_twin import blstm_loss

torch = pytest.importorskip("torch")

ROWS, DIMENSION, MARGIN = 7, 6, 0.5
SENTENCES = [[1, 2, 3], [4], [5, 5], [1, 6, 2, 3, 4], [6, 1], [2, 4, 5], [3], [1, 2]]
QUADS = np.array([[0, 1, 2, 3], [4, 5, 6, 7], [5, -1, 4, 5], [1, 2, -1, 1]])


def parameters() -> dict[str, Any]:
    return {name: array.astype(np.float64) for name, array in random_parameters("blstm", ROWS, DIMENSION, 5).items()}


def mini_batch(parameters: dict[str, Any], **changes: Any) -> MiniBatch:
    tensors = {name: torch.from_numpy(array) for name, array in parameters.items()}
    settings = {
        "table": tensors.pop("embeddings"),
        "weights": tensors,
        "sentences": Tokens.from_lists(SENTENCES, ROWS),
        "quads": QUADS,
        "dropout": 0.0,
        "margin": MARGIN,
        "draws": np.random.default_rng,
    }
    return MiniBatch(**(settings | changes))  # type: ignore[arg-type]


def slopes_of(batch: MiniBatch, threads: int = 1) -> Any:
    with torch_crew(threads) as crew:
        return slopes(batch, crew)


def test_the_loss_is_the_twins() -> None:
    assert slopes_of(mini_batch(parameters())).loss == pytest.approx(blstm_loss(parameters(), SENTENCES, QUADS, MARGIN))


@pytest.mark.parametrize("name", list(parameters()))
def test_every_slope_is_that_of_the_twins_loss(name: str) -> None:
    found = slopes_of(mini_batch(parameters()))
    slope = found.table if name == "embeddings" else found.weights[name]
    expected, step = np.zeros(slope.shape), 1e-6
    for place in np.ndindex(*slope.shape):
        sides = []
        for sign in (1, -1):
            moved = parameters()
            moved[name][place] += sign * step
            sides.append(blstm_loss(moved, SENTENCES, QUADS, MARGIN))
        expected[place] = (sides[0] - sides[1]) / (2 * step)
    assert np.abs(expected).max() > 1e-3
    np.testing.assert_allclose(slope, expected, rtol=0, atol=1e-8)


@pytest.mark.parametrize("dropout", [0.0, 0.4])
@pytest.mark.parametrize("limit", ["_PARTS", "_MOST_NUMBERS"])
def test_parts_add_up_to_the_whole_whether_or_not_their_way_is_kept(
    monkeypatch: pytest.MonkeyPatch, dropout: float, limit: str
) -> None:
    monkeypatch.setattr("calque.training.blstm_batch._LEAST_TOKENS", 1)
    if dropout:  # the same parts, so that they draw the same
        monkeypatch.setattr("calque.training.blstm_batch._PARTS", 5)
        expected = slopes_of(mini_batch(parameters(), dropout=dropout))
        monkeypatch.setattr("calque.training.blstm_batch._MOST_NUMBERS", -(-19 // 5) * DIMENSION)
    else:
        monkeypatch.setattr("calque.training.blstm_batch._PARTS", 1)
        expected = slopes_of(mini_batch(parameters(), dropout=dropout))
        monkeypatch.setattr(f"calque.training.blstm_batch.{limit}", 5 if limit == "_PARTS" else 5 * DIMENSION)
    for threads in (1, 2):
        found = slopes_of(mini_batch(parameters(), dropout=dropout), threads)
        assert found.loss == pytest.approx(expected.loss)
        np.testing.assert_allclose(found.table, expected.table, rtol=0, atol=1e-12)
        for name, slope in found.weights.items():
            np.testing.assert_allclose(slope, expected.weights[name], rtol=0, atol=1e-12)


def test_dropout_leaves_out_its_share_and_makes_up_for_it() -> None:
    batch = mini_batch(parameters(), dropout=0.3)
    (packed,) = packs(batch.sentences, 100)
    inputs = noisy_inputs(batch, torch.ones(ROWS, 2000), packed, np.random.default_rng(1)).numpy()
    assert inputs.shape == (19, 2000)
    assert set(np.unique(inputs)) == {0, np.float32(256 / (256 - 77))}
    assert np.mean(inputs == 0) == pytest.approx(77 / 256, abs=0.01)
    assert (inputs[0] != inputs[1]).any()


def test_scrambling_shuffles_its_share_of_sentences_and_loses_no_token() -> None:
    ids = [list(range(begin, begin + 12)) for begin in range(2000)]
    tokens = Tokens.from_lists(ids, 3000)
    shuffled = scrambled(tokens, 0.3, np.random.default_rng(1))
    changed = [shuffled[number].tolist() != each for number, each in enumerate(ids)]
    assert np.mean(changed) == pytest.approx(0.3, abs=0.03)
    for number, each in enumerate(ids):
        assert sorted(shuffled[number].tolist()) == each
    assert scrambled(tokens, 0.0, np.random.default_rng(1)).ids.tolist() == tokens.ids.tolist()
    everything = scrambled(tokens, 1.0, np.random.default_rng(1))
    assert all(everything[number].tolist() != each for number, each in enumerate(ids))
