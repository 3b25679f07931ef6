"""A run from beginning to end: it can be repeated, watched and stopped, and it learns."""

from __future__ import annotations

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
from calque.training.mega_batches import Place
from calque.vocabulary import Tokens

DIMENSION = 40


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


RECIPE = TrainingConfig.of("calque")


@pytest.mark.parametrize(
    "option",
    [
        {"margin": 0.0},
        {"dropout": RECIPE.dropout + 0.1},
        {"learning_rate": RECIPE.learning_rate / 2},
        {"decay": not RECIPE.decay},
        {"exclude_repeats": not RECIPE.exclude_repeats},
        {"inverse_frequency": 0.0},
        {"negatives": "monolingual"},
        {"mixing": "mixed"},
        {"mega_batch": 1},
        {"annealing": 50},
        {"batch_size": 16},
        {"epochs": 3},
    ],
    ids=lambda option: next(iter(option)),
)
def test_every_option_makes_a_difference(corpus: TrainingCorpus, option: dict[str, Any]) -> None:
    source, target = (Tokens.concatenate([side, side], 1000) for side in (corpus.source, corpus.target))
    with_repeats = TrainingCorpus(source, target, corpus.parts * 2)
    assert (run(with_repeats, **option).parameters["embeddings"] != run(with_repeats).parameters["embeddings"]).any()


def test_both_sides_in_one_language_are_taken_for_paraphrases(corpus: TrainingCorpus) -> None:
    english = TrainingCorpus(corpus.source, corpus.target, ((("en", "en"), len(corpus)),))
    automatic = run(english).parameters["embeddings"]
    np.testing.assert_array_equal(automatic, run(english, negatives="monolingual").parameters["embeddings"])
    assert (automatic != run(english, negatives="bilingual").parameters["embeddings"]).any()


def test_no_epochs_leave_the_random_encoder(corpus: TrainingCorpus) -> None:
    outcome = run(corpus, epochs=0)
    np.testing.assert_array_equal(outcome.parameters["embeddings"], random_embeddings(1000, DIMENSION, 1, unknown=0))
    assert outcome.epoch == 0


def test_a_rate_of_nothing_learns_nothing(corpus: TrainingCorpus) -> None:
    np.testing.assert_array_equal(
        run(corpus, learning_rate=0, inverse_frequency=0).parameters["embeddings"],
        random_embeddings(1000, DIMENSION, 1, unknown=0),
    )


def test_the_unknown_row_stays_zero(corpus: TrainingCorpus) -> None:
    assert not run(corpus).parameters["embeddings"][0].any()


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
        tuple((("source", str(number)), len(english)) for number in range(len(pairs))),
    )
    unseen = [vocabulary.encode(text[language][-100:]) for language in ("en", "es")]
    untrained = random_embeddings(vocabulary.size, 64, seed=1, unknown=0)
    trained = run(corpus, threads=2, dimension=64, epochs=30, mega_batch=20, annealing=20, learning_rate=0.02)
    assert accuracy(untrained, *unseen) < 0.25
    assert accuracy(trained.parameters["embeddings"], *unseen) > 0.5
