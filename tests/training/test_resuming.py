"""A run that was stopped ends with the vectors it would have had without the stop."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import calque
from calque.corpus import Bitext
from calque.demo import sentences
from calque.encoder import random_embeddings
from calque.encoder.average import mean_vectors
from calque.errors import Stopped
from calque.training import (
    Checkpoint,
    DevelopmentSet,
    Outcome,
    Progress,
    TrainingConfig,
    TrainingCorpus,
    first_state,
    tokenise,
)
from calque.training import train_parameters as train
from calque.training.mega_batches import Place

CONFIG = TrainingConfig.of(dimension=40, batch_size=32, mega_batch=4, annealing=10, epochs=4, learning_rate=0.05)


@pytest.fixture(scope="module")
def corpus(demo_bitext: dict[str, Path], small_model: calque.Model) -> TrainingCorpus:
    bitexts = [Bitext((str(demo_bitext[pair]),), tuple(pair.split("-"))) for pair in ("en-es", "en-de")]
    return tokenise(bitexts, small_model.vocabulary, threads=1)


@pytest.fixture(scope="module")
def development(small_model: calque.Model) -> DevelopmentSet:
    """Fifty translations, and fifty sentences beside translations of others."""
    english, spanish = sentences()["en"][:100], sentences()["es"][:50] + sentences()["es"][200:250]
    encode = small_model.vocabulary.encode
    return DevelopmentSet("dev", np.repeat([5.0, 0.0], 50), encode(english), encode(spanish))


def first_checkpoint(corpus: TrainingCorpus) -> Checkpoint:
    start = first_state("average", {"embeddings": random_embeddings(1000, 40, 1, unknown=0)})
    return Checkpoint(Place(), start, corpus.digest)


def after(calls: int) -> Callable[[], bool]:
    """Says stop at the `calls`th question."""
    left = iter([False] * (calls - 1) + [True] * 10_000)
    return lambda: next(left)


def stop_and_go_on(
    corpus: TrainingCorpus, development: DevelopmentSet | None, folder: Path, every: int, threads: int = 1
) -> tuple[Outcome, int]:
    """Stops after each `every` mega-batches; the outcome, and how often it was stopped."""
    for stops in range(10_000):
        checkpoint = Checkpoint.read(folder) or first_checkpoint(corpus)
        try:
            outcome = train(
                corpus,
                CONFIG,
                checkpoint,
                folder=folder,
                development=development,
                threads=threads,
                stop_asked=after(every),
            )
        except Stopped:
            continue
        return outcome, stops
    raise AssertionError("it never ends")


@pytest.mark.parametrize("every", [1, 7, 25])
@pytest.mark.parametrize("selecting", [False, True], ids=["last epoch", "best epoch"])
def test_a_run_stopped_anywhere_ends_with_the_same_bytes(
    corpus: TrainingCorpus, development: DevelopmentSet, tmp_path: Path, every: int, selecting: bool
) -> None:
    chosen = development if selecting else None
    straight = train(corpus, CONFIG, first_checkpoint(corpus), development=chosen)
    outcome, stops = stop_and_go_on(corpus, chosen, tmp_path, every)
    assert stops > 1
    assert outcome.parameters["embeddings"].tobytes() == straight.parameters["embeddings"].tobytes()
    assert (outcome.epoch, outcome.development) == (straight.epoch, straight.development)


def test_going_on_with_another_number_of_threads_changes_nothing(corpus: TrainingCorpus, tmp_path: Path) -> None:
    straight = train(corpus, CONFIG, first_checkpoint(corpus), threads=1)
    outcome, _ = stop_and_go_on(corpus, None, tmp_path, every=11, threads=2)
    assert outcome.parameters["embeddings"].tobytes() == straight.parameters["embeddings"].tobytes()


def test_epochs_of_a_blink_are_not_saved(corpus: TrainingCorpus, tmp_path: Path) -> None:
    train(corpus, CONFIG, first_checkpoint(corpus), folder=tmp_path)
    assert Checkpoint.read(tmp_path) is None


def test_a_run_that_died_goes_on_from_its_last_checkpoint(
    corpus: TrainingCorpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("calque.training.loop._SELDOM", 0)
    straight = train(corpus, CONFIG, first_checkpoint(corpus))

    def die(progress: Progress) -> None:
        if progress.epoch == 3 and progress.step % 5 == 0:
            raise OSError("the power went out")

    with pytest.raises(OSError, match="power"):
        train(corpus, CONFIG, first_checkpoint(corpus), folder=tmp_path, report=die)
    saved = Checkpoint.read(tmp_path)
    assert saved is not None
    assert saved.place.epoch == 2
    outcome = train(corpus, CONFIG, saved, folder=tmp_path)
    assert outcome.parameters["embeddings"].tobytes() == straight.parameters["embeddings"].tobytes()


def test_checkpoints_are_also_written_by_the_clock(corpus: TrainingCorpus, tmp_path: Path) -> None:
    places = []

    def look(progress: Progress) -> None:
        saved = Checkpoint.read(tmp_path)
        places.append(saved.place.steps if saved else 0)

    straight = train(corpus, CONFIG, first_checkpoint(corpus), folder=tmp_path, checkpoint_minutes=0, report=look)
    assert len(set(places)) == len(places)
    undisturbed = train(corpus, CONFIG, first_checkpoint(corpus))
    assert straight.parameters["embeddings"].tobytes() == undisturbed.parameters["embeddings"].tobytes()


def test_a_stop_asked_for_in_the_last_mega_batch_is_the_end(corpus: TrainingCorpus, tmp_path: Path) -> None:
    heard: list[Progress] = []
    straight = train(corpus, CONFIG, first_checkpoint(corpus), report=heard.append)
    stopped = train(corpus, CONFIG, first_checkpoint(corpus), folder=tmp_path, stop_asked=after(len(heard)))
    assert stopped.parameters["embeddings"].tobytes() == straight.parameters["embeddings"].tobytes()


def test_the_epoch_that_is_best_on_the_development_set_is_kept(
    corpus: TrainingCorpus, development: DevelopmentSet
) -> None:
    scores: list[float] = []

    def listen(progress: Progress) -> None:
        if progress.development is not None:
            scores.append(progress.development)

    outcome = train(corpus, CONFIG, first_checkpoint(corpus), development=development, report=listen)
    assert len(scores) == CONFIG.epochs
    assert outcome.development == max(scores)
    assert outcome.epoch == 1 + scores.index(max(scores))
    embeddings = outcome.parameters["embeddings"]
    assert development.pearson(lambda tokens: mean_vectors(embeddings, tokens, threads=1)) == outcome.development
