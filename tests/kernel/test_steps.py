"""A step of training: the margin loss, its gradient, and Adam, against slow twins."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from tiny import Tiny, random_rows, random_sentences
from twins import DenseAdam, Quad, Sentences, flat, hardest, margin_loss, means

from calque import _kernel

MARGIN = 0.4


def with_negatives(embeddings: Any, source: Sentences, target: Sentences, pairs: Sequence[int]) -> list[Quad]:
    """Each pair with its hardest negatives among the others."""
    sources, targets = [source[pair] for pair in pairs], [target[pair] for pair in pairs]
    found = hardest(means(embeddings, sources), means(embeddings, targets), np.eye(len(pairs), dtype=bool))
    negatives = zip(found.row_index, found.column_index, strict=True)
    return [
        Quad(one, two, targets[row], sources[column])
        for one, two, (row, column) in zip(sources, targets, negatives, strict=True)
    ]


def train_densely(adam: DenseAdam, quads: list[Quad], batch_size: int, rates: Sequence[float]) -> float:
    """One mega-batch whose negatives are chosen; the mean loss of its pairs."""
    total = 0.0
    for number, rate in enumerate(rates):
        batch = quads[number * batch_size : (number + 1) * batch_size]
        loss, gradient = margin_loss(adam.embeddings, batch, MARGIN)
        adam.step(gradient, rate)
        total += loss * len(batch)
    return total / len(quads)


def assert_same_training(
    rows: int,
    source: Sentences,
    target: Sentences,
    mega_batches: list[range],
    scale: float = 1,
    tolerance: float = 1e-4,
) -> None:
    """The kernel against the twin, mega-batch by mega-batch, at a rate that falls.

    Cosines ignore length, so rows and rates that are `scale` times as large train alike, on gradients as much smaller.
    """
    start = random_rows(rows) * np.float32(scale)
    tiny, adam = Tiny(start, source, target, batch_size=8, margin=MARGIN), DenseAdam(start)
    for number, pairs in enumerate(mega_batches):
        rates = scale * 0.01 * 0.99 ** (number + np.arange(-(-len(pairs) // 8)))
        quads = with_negatives(adam.embeddings, source, target, pairs)
        assert tiny.train(pairs, rates) == pytest.approx(train_densely(adam, quads, 8, rates), abs=1e-4)
        np.testing.assert_allclose(tiny.settled(), adam.embeddings, rtol=0, atol=tolerance * scale)


def test_training_touches_a_few_rows_a_step_and_ends_where_dense_adam_does() -> None:
    source, target = random_sentences(60, 40, seed=1), random_sentences(60, 40, seed=2)
    mega_batches = [
        range(0, 8),
        range(8, 24),
        range(24, 50),
        range(50, 60),
        range(0, 40),
        range(40, 60),
        range(3, 60),
        range(20, 60),
    ]
    assert sum(-(-len(pairs) // 8) for pairs in mega_batches) > 25
    assert_same_training(40, source, target, mega_batches)


def rare_and_common_pairs() -> tuple[Sentences, Sentences]:
    """Pairs 0 to 7 and pairs 8 to 15 have no row in common."""
    common = [[20 + id for id in sentence] for sentence in random_sentences(16, 20, seed=5)]
    return random_sentences(8, 20, seed=3) + common[:8], random_sentences(8, 20, seed=4) + common[8:]


def test_rows_left_alone_for_hundreds_of_steps_drift_as_under_dense_adam() -> None:
    mega_batches = [range(0, 8)] + [range(8, 16)] * 200 + [range(0, 16)]
    assert_same_training(40, *rare_and_common_pairs(), mega_batches)


def test_drift_is_damped_by_epsilon_as_under_dense_adam_where_gradients_are_small() -> None:
    # A mini-batch of 128 real sentences has gradients of about 10⁻⁵, which is what this scale gives.
    mega_batches = [range(8, 16)] * 100 + [range(0, 8)] + [range(8, 16)] * 40
    assert_same_training(40, *rare_and_common_pairs(), mega_batches, scale=1000, tolerance=5e-4)


def test_the_twins_gradient_is_that_of_its_loss() -> None:
    embeddings = random_rows(12).astype(np.float64)
    source, target = random_sentences(6, 12, seed=6), random_sentences(6, 12, seed=7)
    batch = with_negatives(embeddings, source, target, range(6))
    batch[0] = batch[0]._replace(source_negative=None)
    _, gradient = margin_loss(embeddings, batch, MARGIN)
    step = 1e-6
    for row, column in np.ndindex(embeddings.shape):
        there, back = embeddings.copy(), embeddings.copy()
        there[row, column] += step
        back[row, column] -= step
        slope = (margin_loss(there, batch, MARGIN)[0] - margin_loss(back, batch, MARGIN)[0]) / (2 * step)
        assert gradient[row, column] == pytest.approx(slope, abs=1e-7)


@pytest.mark.parametrize("margin", [0.0, 0.1, 0.4, 1.9])
def test_the_loss_and_its_gradient_are_the_twins(margin: float) -> None:
    source, target = random_sentences(8, 30, seed=8), random_sentences(8, 30, seed=9)
    embeddings = random_rows(30, dimension=48)
    tiny = Tiny(embeddings, source, target, margin=margin)
    loss, gradient = margin_loss(
        embeddings.astype(np.float64), with_negatives(embeddings, source, target, range(8)), margin
    )
    assert tiny.train(range(8)) == pytest.approx(loss, rel=1e-5)
    # After one step the first moment is a tenth of the gradient.
    np.testing.assert_allclose(tiny.first, 0.1 * gradient, rtol=0, atol=1e-7)


def test_a_translation_nearer_by_the_margin_is_left_in_peace() -> None:
    embeddings = np.repeat(np.eye(16, dtype=np.float32)[:4], 2, axis=0)
    tiny = Tiny(embeddings, [[0], [2], [4], [6]], [[1], [3], [5], [7]])
    assert tiny.train(range(4)) == 0
    np.testing.assert_array_equal(tiny.settled(), embeddings)


def test_a_lone_pair_has_no_negatives_and_no_loss() -> None:
    embeddings = random_rows(2)
    tiny = Tiny(embeddings, [[0]], [[1]])
    assert tiny.train([0]) == 0
    np.testing.assert_array_equal(tiny.settled(), embeddings)


@pytest.mark.parametrize("nonsense", [np.nan, np.inf, 1e30])
def test_rows_that_are_no_longer_sensible_numbers_show_in_the_loss(nonsense: float) -> None:
    embeddings = random_rows(8)
    embeddings[:4] = nonsense
    tiny = Tiny(embeddings, [[0], [1], [2], [3]], [[4], [5], [6], [7]])
    assert not np.isfinite(tiny.train(range(4)))


def test_looking_at_the_rows_does_not_change_how_training_goes_on() -> None:
    source, target = random_sentences(40, 30, seed=10), random_sentences(40, 30, seed=11)
    watched, left_alone = (Tiny(random_rows(30), source, target) for _ in range(2))
    for start in range(0, 40, 8):
        watched.train(range(start, start + 8))
        watched.settled(threads=2)
        left_alone.train(range(start, start + 8))
    np.testing.assert_array_equal(watched.settled(), left_alone.settled())
    np.testing.assert_array_equal(watched.embeddings, left_alone.embeddings)


def test_32_bit_ids_train_as_16_bit_ids_do() -> None:
    source, target = random_sentences(40, 30, seed=12), random_sentences(40, 30, seed=13)
    narrow, wide = (Tiny(random_rows(30), source, target, id_type=type) for type in (np.uint16, np.uint32))
    for tiny in (narrow, wide):
        tiny.train(range(40))
    np.testing.assert_array_equal(narrow.settled(), wide.settled())


def test_a_mega_batch_that_does_not_fit_the_corpus_is_refused() -> None:
    tiny = Tiny(random_rows(4), [[0], [1]], [[2], [3]])
    with pytest.raises(ValueError, match="no such pair"):
        tiny.train([0, 2])
    with pytest.raises(ValueError, match="one rate a mini-batch"):
        tiny.trainer.train(np.arange(2, dtype=np.uint32), np.zeros(2, np.float32), 1)
    with pytest.raises(ValueError, match="one rate a mini-batch"):
        tiny.train([])
    with pytest.raises(ValueError, match="outside the table"):
        Tiny(random_rows(4), [[0]], [[4]])
    with pytest.raises(ValueError, match="different numbers"):
        Tiny(random_rows(4), [[0]], [[1], [2]])


@pytest.mark.parametrize("dropout", [0.0, 0.3])
def test_frozen_rows_stay_and_the_others_learn_on_any_number_of_threads(dropout: float) -> None:
    source, target = random_sentences(40, 30, seed=10), random_sentences(40, 30, seed=11)
    start, frozen = random_rows(30), (np.arange(30) % 3 == 0).astype(np.uint8)
    one, two = (Tiny(start, source, target, dropout=dropout, frozen=frozen) for _ in range(2))
    one.train(range(40), threads=1)
    two.train(range(40), threads=2)
    np.testing.assert_array_equal(one.settled(), two.settled())
    np.testing.assert_array_equal(one.settled()[frozen == 1], start[frozen == 1])
    assert not (one.settled() == start)[frozen == 0].all(axis=1).any()


def test_rows_that_are_not_frozen_end_where_dense_adam_puts_them() -> None:
    source, target = random_sentences(24, 30, seed=12), random_sentences(24, 30, seed=13)
    start, frozen = random_rows(30), (np.arange(30) < 15).astype(np.uint8)
    tiny, adam = Tiny(start, source, target, margin=MARGIN, frozen=frozen), DenseAdam(start)
    for pairs in (range(24), range(5, 20), range(24)):
        quads = with_negatives(adam.embeddings, source, target, pairs)
        tiny.train(pairs)
        for begin in range(0, len(quads), 8):
            _, gradient = margin_loss(adam.embeddings, quads[begin : begin + 8], MARGIN)
            gradient[frozen == 1] = 0
            adam.step(gradient, 0.01)
        np.testing.assert_allclose(tiny.settled(), adam.embeddings, rtol=0, atol=1e-4)


def test_fewer_rates_than_mini_batches_are_refused() -> None:
    tiny = Tiny(random_rows(8), [[0], [1], [2], [3]], [[4], [5], [6], [7]], batch_size=2)
    with pytest.raises(ValueError, match="one rate a mini-batch"):
        tiny.trainer.train(np.arange(4, dtype=np.uint32), np.full(1, 0.01, np.float32), 1)


@pytest.mark.parametrize(
    "change", [{"width": 17}, {"rows": 5}, {"ahead": 1}, {"dropout": 1.0}, {"batch_size": 0}, {"frozen": 3}]
)
def test_a_state_that_does_not_hold_together_is_refused(change: dict[str, Any]) -> None:
    width, rows = change.get("width", 16), change.get("rows", 4)
    with pytest.raises(ValueError, match=r"multiple of 16|shapes|ahead|out of range|one truth a row"):
        _kernel.Trainer(
            np.zeros((4, width), np.float32),
            np.zeros((4, width), np.float32),
            np.zeros((rows, width), np.float32),
            np.full(4, change.get("ahead", 0), np.uint32),
            np.zeros(0, np.float32),
            batch_size=change.get("batch_size", 8),
            margin=0.4,
            dropout=change.get("dropout", 0.0),
            beta_first=0.9,
            beta_second=0.999,
            epsilon=1e-8,
            monolingual=False,
            exclude_same_text=False,
            seed=1,
            frozen=np.zeros(change.get("frozen", 0), np.uint8),
        )


def test_a_mini_batch_may_be_asked_to_be_larger_than_all_there_is() -> None:
    source, target = random_sentences(20, 30, 1), random_sentences(20, 30, 2)
    losses = [Tiny(random_rows(30), source, target, batch_size=size).train(range(20)) for size in (20, (1 << 31) - 1)]
    assert losses[0] == losses[1]
    with pytest.raises(ValueError, match="batch_size"):
        Tiny(random_rows(30), source, target, batch_size=1 << 62)


def test_pairs_of_their_own_are_learnt_from_like_those_in_use() -> None:
    source, target = random_sentences(40, 30, 1), random_sentences(40, 30, 2)
    used, apart = (Tiny(random_rows(30), source, target, batch_size=8) for _ in range(2))
    rates = np.full(2, 0.01, np.float32)
    used.train(range(20, 35))
    apart.trainer.train_on(*flat(source[20:35]), *flat(target[20:35]), rates, 1)
    np.testing.assert_array_equal(apart.settled(), used.settled())
    assert apart.train(range(5)) == used.train(range(5))  # what is in use stays so


@pytest.mark.parametrize(
    ("source", "target", "problem"),
    [([[1]], [[1], [2]], "different numbers"), ([[30]], [[1]], "outside the table"), ([], [], "one rate")],
)
def test_pairs_of_their_own_are_checked(source: list[list[int]], target: list[list[int]], problem: str) -> None:
    tiny = Tiny(random_rows(30), [[0]], [[1]])
    with pytest.raises(ValueError, match=problem):
        tiny.trainer.train_on(*flat(source), *flat(target), np.full(1, 0.01, np.float32), 1)
