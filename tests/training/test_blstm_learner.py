"""A BLSTM learns by the same loop: with noise in training only, in bytes that can be had again, and to some effect."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import calque
from calque.corpus import Bitext
from calque.encoder import BlstmEncoder, random_parameters
from calque.errors import CalqueError, Stopped
from calque.training import (
    Checkpoint,
    DevelopmentSet,
    Outcome,
    Progress,
    TrainingConfig,
    TrainingCorpus,
    first_state,
    tokenise,
    train_parameters,
)
from calque.training.corpus import Part
from calque.training.learner import Arrays, Learner, make_learner
from calque.training.mega_batches import Place
from calque.vocabulary import Tokens

pytest.importorskip("torch")

ROWS, DIMENSION = 1000, 16
SMALL = {"encoder": "blstm", "dimension": DIMENSION, "batch_size": 64, "mega_batch": 4, "annealing": 5, "epochs": 2}


@pytest.fixture(scope="module")
def corpus(demo_bitext: dict[str, Path], small_model: calque.Model) -> TrainingCorpus:
    return tokenise([Bitext((str(demo_bitext["en-es"]),), ("en", "es"))], small_model.vocabulary, threads=1)


@pytest.fixture(scope="module")
def development(corpus: TrainingCorpus) -> DevelopmentSet:
    """Fifty translations, and fifty sentences beside the next one's translation."""
    first = corpus.source.take(np.arange(100))
    return DevelopmentSet("dev", np.repeat([5.0, 0.0], 50), first, corpus.target.take(np.r_[:50, 51:101]))


def config_of(**options: Any) -> TrainingConfig:
    return TrainingConfig.of("calque", **SMALL | options)


def first_checkpoint(seed: int = 1, dimension: int = DIMENSION) -> Checkpoint:
    parameters = random_parameters("blstm", ROWS, dimension, seed, unknown=0)
    return Checkpoint(Place(), first_state("blstm", parameters), "")


def run(corpus: TrainingCorpus, config: TrainingConfig | None = None, **more: Any) -> Outcome:
    return train_parameters(corpus, config or config_of(), first_checkpoint(), **more)


def assert_same(found: Outcome, expected: Outcome) -> None:
    assert found.parameters.keys() == expected.parameters.keys()
    for name, array in expected.parameters.items():
        assert found.parameters[name].tobytes() == array.tobytes(), name


def learner(corpus: TrainingCorpus, **options: Any) -> Learner:
    return learner_from(first_checkpoint().state, corpus, **options)


def learner_from(state: Arrays, corpus: TrainingCorpus, **options: Any) -> Learner:
    made = make_learner(config_of(**options), corpus, state, threads=1)
    made.use(corpus.window(0, epoch=0, seed=1))
    return made


def losses(learner: Learner, times: int = 1, rate: float = 0.0) -> list[float]:
    pairs, rates = np.arange(128, dtype=np.uint32), np.full(2, rate, np.float32)
    return [learner.train(pairs, rates)["loss"] for _ in range(times)]


QUIET = {"dropout": 0.0, "scrambling": 0.0}


@pytest.mark.parametrize("noise", [{"dropout": 0.5}, {"scrambling": 1.0}], ids=lambda noise: next(iter(noise)))
def test_noise_is_drawn_anew_at_each_step_of_training_and_never_in_use(
    corpus: TrainingCorpus, noise: dict[str, float]
) -> None:
    calm, disturbed = learner(corpus, **QUIET), learner(corpus, **QUIET | noise)
    one, two = losses(calm, 2)
    assert one == two
    first, second = losses(disturbed, 2)
    assert len({one, first, second}) == 3
    np.testing.assert_array_equal(disturbed.vectors(corpus.source), calm.vectors(corpus.source))


def test_vectors_and_parameters_are_those_that_the_encoder_will_have(
    corpus: TrainingCorpus, small_model: calque.Model
) -> None:
    trained = learner(corpus)
    losses(trained, 3, rate=0.01)
    encoder = BlstmEncoder(small_model.vocabulary, trained.parameters())
    texts = ["The dog sleeps.", "El perro duerme."]
    tokens = small_model.vocabulary.encode(texts)
    np.testing.assert_allclose(trained.vectors(tokens), encoder.encode(texts), rtol=0, atol=1e-6)


def test_looking_at_the_parameters_does_not_change_how_training_goes_on(corpus: TrainingCorpus) -> None:
    watched, left_alone = learner(corpus), learner(corpus)
    for begin in range(0, 512, 128):
        for each in (watched, left_alone):
            each.train(np.arange(begin, begin + 128, dtype=np.uint32), np.full(2, 0.01, np.float32))
        watched.parameters()
        watched.vectors(corpus.source)
    for name, array in left_alone.parameters().items():
        np.testing.assert_array_equal(watched.parameters()[name], array)


def test_each_mini_batch_has_its_own_rate(corpus: TrainingCorpus) -> None:
    pairs = np.arange(128, dtype=np.uint32)
    found = []
    for rates in ([0.01, 0.0], [0.01, 0.01]):
        trained = learner(corpus)
        trained.train(pairs, np.array(rates, np.float32))
        found.append(trained.parameters()["lstm.input_weights"])
    before = first_checkpoint().state["lstm.input_weights"]
    assert (found[0] != before).all()
    assert (found[1] != found[0]).mean() > 0.9
    # Adam's first step is as long as the rate.
    assert np.abs(found[0] - before).max() < 0.02


@pytest.mark.parametrize("options", [{}, {"mixing": "mixed", "negatives": "monolingual"}], ids=str)
def test_one_seed_gives_the_same_bytes_each_time_on_any_number_of_threads(
    corpus: TrainingCorpus, options: dict[str, Any]
) -> None:
    config = config_of(**options)
    first = run(corpus, config, threads=1)
    for threads in (1, 2, 3):
        assert_same(run(corpus, config, threads=threads), first)


BASE = {"epochs": 1, "exclude_repeats": False}


@pytest.mark.parametrize(
    "option",
    [
        {"seed": 2},
        {"margin": 0.1},
        {"dropout": 0.4},
        {"scrambling": 0.6},
        {"learning_rate": 0.02},
        {"decay": False},
        {"exclude_repeats": True},
        {"negatives": "monolingual"},
        {"batch_size": 32},
    ],
    ids=lambda option: next(iter(option)),
)
def test_every_option_makes_a_difference(corpus: TrainingCorpus, option: dict[str, Any]) -> None:
    twice = np.tile(np.arange(128), 2)
    source, target = corpus.source.take(twice), corpus.target.take(twice)
    with_repeats = TrainingCorpus(source, target, (Part(("en", "es"), 256),))
    one, other = (run(with_repeats, config_of(**BASE | change)).parameters for change in ({}, option))
    assert (one["lstm.recurrent_weights"] != other["lstm.recurrent_weights"]).any()


def test_the_unknown_row_stays_zero(corpus: TrainingCorpus) -> None:
    assert not run(corpus).parameters["embeddings"][0].any()


def test_a_rate_of_nothing_learns_nothing(corpus: TrainingCorpus) -> None:
    start = first_checkpoint().state
    for name, array in run(corpus, config_of(learning_rate=0.0, epochs=1)).parameters.items():
        np.testing.assert_array_equal(array, start[name])


def after(calls: int) -> Callable[[], bool]:
    """Says stop at the `calls`th question."""
    left = iter([False] * (calls - 1) + [True] * 10_000)
    return lambda: next(left)


@pytest.mark.parametrize("every", [1, 5])
@pytest.mark.parametrize("selecting", [False, True], ids=["last epoch", "best epoch"])
def test_a_run_stopped_anywhere_ends_with_the_same_bytes(
    corpus: TrainingCorpus, development: DevelopmentSet, tmp_path: Path, every: int, selecting: bool
) -> None:
    chosen = development if selecting else None
    straight = run(corpus, development=chosen)
    stops = 0
    while True:
        checkpoint = Checkpoint.read(tmp_path) or first_checkpoint()
        options = {"folder": tmp_path, "development": chosen, "stop_asked": after(every)}
        try:
            outcome = train_parameters(corpus, config_of(), checkpoint, **options)  # type: ignore[arg-type]
            break
        except Stopped:
            stops += 1
    assert stops > 1
    assert_same(outcome, straight)
    assert (outcome.epoch, outcome.development) == (straight.epoch, straight.development)


def test_the_state_of_an_average_is_not_gone_on_from(corpus: TrainingCorpus) -> None:
    rows = random_parameters("average", ROWS, DIMENSION, 1)
    with pytest.raises(CalqueError, match="not one that training can go on from"):
        make_learner(config_of(), corpus, first_state("average", rows), threads=1)


def test_a_loss_that_is_no_number_is_an_error_with_the_way_out(corpus: TrainingCorpus) -> None:
    with pytest.raises(CalqueError, match=r"no longer a number after step \d+") as caught:
        run(corpus, config_of(learning_rate=1e38, decay=False))
    assert "--learning-rate" in (caught.value.hint or "")


def test_numbers_that_are_none_show_in_the_loss(corpus: TrainingCorpus) -> None:
    state = first_checkpoint().state
    state["lstm.biases"] = np.full_like(state["lstm.biases"], np.nan)
    assert not np.isfinite(losses(learner_from(state, corpus))[0])


def accuracy(vectors: Callable[[Tokens], Any], corpus: TrainingCorpus) -> float:
    """How many sentences have their translation for their nearest neighbour."""

    def units(tokens: Tokens) -> Any:
        found = vectors(tokens)
        return found / np.linalg.norm(found, axis=1, keepdims=True)

    nearest = np.argmax(units(corpus.source) @ units(corpus.target).T, axis=1)
    return float(np.mean(nearest == np.arange(len(corpus))))


def test_training_finds_the_translations_it_has_seen(corpus: TrainingCorpus) -> None:
    few = np.arange(200)
    known = TrainingCorpus(corpus.source.take(few), corpus.target.take(few), (Part(("en", "es"), 200),))
    options = {"dimension": 32, "epochs": 14, "batch_size": 16, "mega_batch": 1, "margin": 0.1, "learning_rate": 0.05}
    config = config_of(**options, dropout=0.1, scrambling=0.1)
    heard: list[Progress] = []
    start = first_checkpoint(dimension=32)
    outcome = train_parameters(known, config, start, threads=2, report=heard.append)
    losses = [progress.loss for progress in heard if progress.ends_epoch]
    assert losses[-1] < 0.75 * losses[0]
    assert {"encode", "negatives", "steps"} <= heard[0].shares.keys()

    def found(parameters: Any) -> float:
        return accuracy(make_learner(config, known, first_state("blstm", parameters), threads=2).vectors, known)

    assert found(random_parameters("blstm", ROWS, 32, 1, unknown=0)) < 0.2
    assert found(outcome.parameters) > 0.4
