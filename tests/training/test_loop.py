"""A run from beginning to end: it can be repeated, watched and stopped, and it learns."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import calque
from calque.corpus import Bitext
from calque.demo import sentences
from calque.encoder import random_embeddings
from calque.errors import CalqueError
from calque.training import (
    Checkpoint,
    Outcome,
    Progress,
    TrainingConfig,
    TrainingCorpus,
    first_state,
    tokenise,
    train_parameters,
)
from calque.training.corpus import Part
from calque.training.damping import damped
from calque.training.mega_batches import Place
from calque.vocabulary import Tokens

DIMENSION = 40
RECIPE = TrainingConfig.of("calque")


@pytest.fixture(scope="module")
def corpus(demo_bitext: dict[str, Path], small_model: calque.Model) -> TrainingCorpus:
    bitexts = [Bitext((str(demo_bitext[pair]),), tuple(pair.split("-"))) for pair in ("en-es", "en-de")]
    return tokenise(bitexts, small_model.vocabulary, threads=1)


def run(corpus: TrainingCorpus, threads: int = 1, recipe: str = "calque", **options: Any) -> Outcome:
    heard = options.pop("heard", [])
    defaults = {"dimension": DIMENSION, "batch_size": 32, "mega_batch": 6, "annealing": 5, "epochs": 2}
    config = TrainingConfig.of(recipe, **(defaults | options))  # type: ignore[arg-type]
    rows = random_embeddings(1000, config.dimension, config.seed, unknown=0)
    start = first_state("average", {"embeddings": rows})
    return train_parameters(corpus, config, Checkpoint(Place(), start, ""), threads=threads, report=heard.append)


@pytest.mark.parametrize(
    "options", [{}, {"recipe": "paper"}, {"mixing": "mixed"}, {"negatives": "monolingual"}], ids=str
)
def test_one_seed_gives_the_same_bytes_each_time_on_any_number_of_threads(
    corpus: TrainingCorpus, options: dict[str, Any]
) -> None:
    first = run(corpus, **options).parameters["embeddings"]
    assert np.isfinite(first).all()
    for threads in (1, 2, 3):
        assert run(corpus, threads, **options).parameters["embeddings"].tobytes() == first.tobytes()


def test_another_seed_gives_other_vectors(corpus: TrainingCorpus) -> None:
    assert (run(corpus, seed=1).parameters["embeddings"] != run(corpus, seed=2).parameters["embeddings"]).mean() > 0.9


@dataclass(frozen=True)
class Run:
    rows: Any
    heard: list[Progress]
    epoch: int

    @property
    def mega_batches(self) -> set[int]:
        return {progress.mega_batch for progress in self.heard}

    @property
    def rates(self) -> set[float]:
        return {progress.learning_rate for progress in self.heard}


def watched(corpus: TrainingCorpus, **options: Any) -> Run:
    heard: list[Progress] = []
    outcome = run(corpus, heard=heard, **({"inverse_frequency": 0.0} | options))
    return Run(outcome.parameters["embeddings"], heard, outcome.epoch)


@pytest.fixture(scope="module")
def usual(corpus: TrainingCorpus) -> Run:
    return watched(corpus)


def test_without_a_margin_the_first_step_loses_less_by_at_most_the_margin_for_each_side(
    corpus: TrainingCorpus, usual: Run
) -> None:
    lost = usual.heard[0].loss - watched(corpus, margin=0.0).heard[0].loss
    assert 0 < lost <= 2 * RECIPE.margin + 1e-6


def test_a_lower_rate_moves_rows_less(corpus: TrainingCorpus, usual: Run) -> None:
    start = random_embeddings(1000, DIMENSION, 1, unknown=0)
    slower = watched(corpus, learning_rate=RECIPE.learning_rate / 2)
    assert slower.heard[0].learning_rate == pytest.approx(usual.heard[0].learning_rate / 2)
    assert np.linalg.norm(slower.rows - start) < 0.8 * np.linalg.norm(usual.rows - start)


def test_the_rate_falls_only_with_decay(corpus: TrainingCorpus, usual: Run) -> None:
    assert RECIPE.decay
    assert len(usual.rates) == len(usual.heard)
    assert len(watched(corpus, decay=False).rates) == 1


def test_mega_batches_grow_as_often_and_as_far_as_they_may(corpus: TrainingCorpus, usual: Run) -> None:
    assert usual.mega_batches == {1, 2, 3, 4, 5, 6}
    assert watched(corpus, mega_batch=1).mega_batches == {1}
    assert watched(corpus, annealing=50).mega_batches == set(range(1, usual.heard[-1].steps // 50 + 2))


def test_the_steps_are_the_mini_batches_of_all_epochs(corpus: TrainingCorpus, usual: Run) -> None:
    def steps(size: int, epochs: int) -> int:
        return epochs * sum(ceil(part.pairs / size) for part in corpus.parts)

    assert (usual.heard[-1].steps, usual.epoch) == (steps(32, 2), 2)
    assert watched(corpus, batch_size=16).heard[-1].steps == steps(16, 2)
    longer = watched(corpus, epochs=3)
    assert (longer.heard[-1].steps, longer.epoch) == (steps(32, 3), 3)
    assert len(longer.heard) > len(usual.heard)


def test_mixed_pairs_fill_their_mini_batches_together(corpus: TrainingCorpus) -> None:
    apart, mixed = (watched(corpus, batch_size=50, mixing=mixing).heard[-1].steps for mixing in ("one-pair", "mixed"))
    assert mixed == 2 * ceil(len(corpus) / 50)
    assert apart == 2 * sum(ceil(part.pairs / 50) for part in corpus.parts) > mixed


def test_negatives_from_both_sides_are_harder(corpus: TrainingCorpus, usual: Run) -> None:
    assert watched(corpus, negatives="monolingual").heard[0].loss > usual.heard[0].loss


def test_inverse_frequency_only_shortens_rows(corpus: TrainingCorpus, usual: Run) -> None:
    lengths, weighed = (
        np.linalg.norm(rows, axis=1) for rows in (usual.rows, watched(corpus, inverse_frequency=0.01).rows)
    )
    live = lengths > 0
    weights = weighed[live] / lengths[live]
    assert weights.max() <= 1 + 1e-6
    assert weights.min() < 0.5
    np.testing.assert_allclose(
        watched(corpus, inverse_frequency=0.01).rows[live], usual.rows[live] * weights[:, None], atol=1e-5
    )


def test_damping_only_evens_out_the_lengths_of_rows(corpus: TrainingCorpus, usual: Run) -> None:
    even = watched(corpus, damping=0.5).rows
    np.testing.assert_allclose(even, damped(usual.rows, 0.5), atol=1e-5)
    assert np.linalg.norm(even, axis=1).std() < 0.8 * np.linalg.norm(usual.rows, axis=1).std()


@pytest.fixture
def batch(corpus: TrainingCorpus) -> TrainingCorpus:
    """Thirty-two pairs: one step an epoch."""
    return TrainingCorpus(corpus.source.run(0, 32), corpus.target.run(0, 32), (Part(("en", "es"), 32),))


def test_dropout_leaves_elements_out_of_a_step(batch: TrainingCorpus) -> None:
    start = random_embeddings(1000, DIMENSION, 1, unknown=0)

    def still(dropout: float) -> float:
        """Share of the elements that one step leaves alone, in rows that it moves."""
        moved = watched(batch, dropout=dropout, epochs=1).rows != start
        return float(1 - moved[moved.any(axis=1)].mean())

    assert still(0.0) < 0.01
    assert 0.01 < still(0.2) < still(0.6) < 0.6


def test_a_repeat_that_is_not_excluded_is_as_near_as_the_translation(batch: TrainingCorpus) -> None:
    """No loss can then be lower than the margin, on each side."""
    twice = [Tokens.concatenate([side.run(0, 16)] * 2, 1000) for side in (batch.source, batch.target)]
    repeated = TrainingCorpus(*twice, batch.parts)
    assert watched(repeated, exclude_repeats=True, epochs=40).heard[-1].loss < RECIPE.margin
    losses = [progress.loss for progress in watched(repeated, exclude_repeats=False, epochs=40).heard]
    assert min(losses) >= 2 * RECIPE.margin - 1e-3


def test_both_sides_in_one_language_are_taken_for_paraphrases(corpus: TrainingCorpus) -> None:
    english = TrainingCorpus(corpus.source, corpus.target, (Part(("en", "en"), len(corpus)),))
    automatic = run(english).parameters["embeddings"]
    np.testing.assert_array_equal(automatic, run(english, negatives="monolingual").parameters["embeddings"])
    assert (automatic != run(english, negatives="bilingual").parameters["embeddings"]).any()


def test_no_epochs_leave_the_random_encoder(corpus: TrainingCorpus) -> None:
    outcome = run(corpus, epochs=0)
    np.testing.assert_array_equal(outcome.parameters["embeddings"], started(corpus))
    assert outcome.epoch == 0


def test_a_rate_of_nothing_learns_nothing(corpus: TrainingCorpus) -> None:
    np.testing.assert_array_equal(
        run(corpus, learning_rate=0, inverse_frequency=0).parameters["embeddings"],
        started(corpus),
    )


def test_the_unknown_row_stays_zero_and_that_of_the_bare_word_boundary_becomes_it(corpus: TrainingCorpus) -> None:
    assert len(corpus.silent) == 1
    assert not run(corpus).parameters["embeddings"][[0, *corpus.silent]].any()


def started(corpus: TrainingCorpus) -> Any:
    """The rows that training starts from, as a model of them would have them."""
    rows = random_embeddings(1000, DIMENSION, 1, unknown=0)
    rows[list(corpus.silent)] = 0
    return rows


def test_a_run_can_be_watched(corpus: TrainingCorpus) -> None:
    heard: list[Progress] = []
    run(corpus, epochs=3, heard=heard)
    steps = [progress.step for progress in heard]
    assert steps == sorted(set(steps))
    assert steps[-1] == heard[-1].steps
    assert [progress.epoch for progress in heard if progress.ends_epoch] == [1, 2, 3]
    assert {progress.mega_batch for progress in heard} >= {1, 2, 3, 4, 5, 6}
    assert heard[-1].seconds_left == 0
    losses = [progress.loss for progress in heard if progress.ends_epoch]
    assert losses[0] > losses[1] > losses[2]
    assert heard[0].learning_rate > heard[-1].learning_rate


@pytest.mark.parametrize("rate", [1e20, 1e30, 1e38])
def test_a_loss_that_is_no_number_is_an_error_with_the_way_out(corpus: TrainingCorpus, rate: float) -> None:
    with pytest.raises(CalqueError, match=r"no longer a number after step \d+") as caught:
        run(corpus, learning_rate=rate)
    assert "--learning-rate" in (caught.value.hint or "")


def accuracy(embeddings: Any, source: Tokens, target: Tokens) -> float:
    """How many sentences have their translation for their nearest neighbour."""

    def units(tokens: Tokens) -> Any:
        vectors = np.array([embeddings[tokens[number]].mean(axis=0) for number in range(len(tokens))])
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)

    return float(np.mean(np.argmax(units(source) @ units(target).T, axis=1) == np.arange(len(source))))


def test_training_finds_translations_it_has_never_seen(small_model: calque.Model) -> None:
    vocabulary, text = small_model.vocabulary, sentences()
    english, spanish, german, french = (vocabulary.encode(text[language][:-100]) for language in text)
    pairs = [(english, spanish), (english, german), (english, french), (spanish, german), (spanish, french)]
    corpus = TrainingCorpus(
        Tokens.concatenate([source for source, _ in pairs], vocabulary.size),
        Tokens.concatenate([target for _, target in pairs], vocabulary.size),
        tuple(Part(("source", str(number)), len(english)) for number in range(len(pairs))),
    )
    unseen = [vocabulary.encode(text[language][-100:]) for language in ("en", "es")]
    untrained = random_embeddings(vocabulary.size, 64, seed=1, unknown=0)
    trained = run(corpus, threads=2, dimension=64, epochs=30, mega_batch=20, annealing=20, learning_rate=0.02)
    assert accuracy(untrained, *unseen) < 0.25
    assert accuracy(trained.parameters["embeddings"], *unseen) > 0.5
