"""Rows weighed by how common their pieces are in their language, once they are learnt."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from calque.encoder import random_embeddings
from calque.encoder.average import mean_vectors
from calque.errors import Stopped, UsageError
from calque.training import (
    Checkpoint,
    DevelopmentSet,
    Outcome,
    TrainingConfig,
    TrainingCorpus,
    first_state,
    train_parameters,
)
from calque.training.corpus import Part
from calque.training.inverse_frequency import row_weights
from calque.training.mega_batches import Place
from calque.vocabulary import Tokens

ROWS = 12
CONFIG = TrainingConfig.of(
    dimension=20, batch_size=8, mega_batch=3, annealing=4, epochs=3, learning_rate=0.05, inverse_frequency=0.02
)

sentences = st.lists(st.integers(1, ROWS - 1), min_size=1, max_size=5)
parts = st.lists(
    st.tuples(
        st.sampled_from([("en", "es"), ("en", "de"), ("es", "en"), ("en", "en"), None]),
        st.lists(st.tuples(sentences, sentences), max_size=6),
        st.sampled_from([0.0, 0.3, 1.0, 2.5]),
    ),
    min_size=1,
    max_size=4,
)


def corpus_of(parts: Any, weighted: bool = True) -> TrainingCorpus:
    pairs = [pair for _, own, _ in parts for pair in own]
    source, target = (Tokens.from_lists([pair[side] for pair in pairs], ROWS) for side in (0, 1))
    weights = tuple(weight for *_, weight in parts) if weighted else ()
    return TrainingCorpus(source, target, tuple(Part(languages, len(own)) for languages, own, _ in parts), weights)


def slow_weights(parts: Any, a: float) -> list[float]:
    """Token by token: a / (a + p), p being the mean over languages of a piece's share there, by its counts there."""
    counts: dict[str, dict[int, float]] = defaultdict(lambda: defaultdict(float))
    for languages, pairs, weight in parts:
        for pair in pairs:
            for language, ids in zip(languages or ("source", "target"), pair, strict=True):
                for id in ids:
                    counts[language][id] += weight
    weights = []
    for row in range(ROWS):
        found = [(own[row], own[row] / sum(own.values())) for own in counts.values() if own.get(row, 0) > 0]
        total = sum(count for count, _ in found)
        weights.append(a / (a + sum(count * share for count, share in found) / total) if found else 1.0)
    return weights


@given(parts=parts, a=st.floats(1e-4, 10))
def test_weights_are_those_of_a_plain_loop_over_the_tokens(parts: Any, a: float) -> None:
    weights = row_weights(corpus_of(parts), ROWS, a)
    assert weights.shape == (ROWS, 1)
    assert weights.dtype == np.float32
    np.testing.assert_allclose(weights[:, 0], slow_weights(parts, a), rtol=1e-5)


@given(parts=parts)
def test_without_weights_every_bitext_counts_once(parts: Any) -> None:
    once = [(languages, pairs, 1.0) for languages, pairs, _ in parts]
    np.testing.assert_array_equal(
        row_weights(corpus_of(parts, weighted=False), ROWS, 0.1), row_weights(corpus_of(once), ROWS, 0.1)
    )


def test_a_common_word_of_a_small_language_is_common() -> None:
    large = (("en", "es"), [([1, 2], [3, 4])] * 100, 1.0)
    small = (("en", "de"), [([1, 2], [5, 6])], 1.0)
    weights = row_weights(corpus_of([large, small]), ROWS, 0.1)[:, 0]
    assert weights[5] == pytest.approx(weights[3]) == pytest.approx(0.1 / 0.6)


def test_a_row_that_is_never_seen_keeps_its_weight() -> None:
    weights = row_weights(corpus_of([(("en", "es"), [([1], [2])], 1.0)]), ROWS, 0.1)[:, 0]
    assert weights[3] == 1
    assert weights[1] < 1


def test_nothing_is_weighed_by_zero() -> None:
    assert (row_weights(corpus_of([(("en", "es"), [([1], [2])], 1.0)]), ROWS, 0.0) == 1).all()


@pytest.fixture(scope="module")
def corpus() -> TrainingCorpus:
    """Sixty pairs in which row 1 is common and the others are not, and translations are five rows apart."""
    draw = np.random.default_rng(5)
    pairs = [([1, one, two], [1, one + 5, two + 5]) for one, two in draw.integers(2, 7, (60, 2)).tolist()]
    return corpus_of([(("en", "es"), pairs, 1.0)])


@pytest.fixture(scope="module")
def development(corpus: TrainingCorpus) -> DevelopmentSet:
    first, second = (
        Tokens.from_lists([side[i].tolist() for i in range(30)], ROWS) for side in (corpus.source, corpus.target)
    )
    return DevelopmentSet("dev", np.random.default_rng(2).random(30), first, second)


def run(corpus: TrainingCorpus, a: float, development: DevelopmentSet | None = None, **changes: Any) -> Outcome:
    config = TrainingConfig.of(**CONFIG.as_dict() | {"inverse_frequency": a} | changes)
    return train_parameters(corpus, config, first_checkpoint(corpus), development=development)


def first_checkpoint(corpus: TrainingCorpus) -> Checkpoint:
    rows = random_embeddings(ROWS, CONFIG.dimension, CONFIG.seed, unknown=0)
    return Checkpoint(Place(), first_state("average", {"embeddings": rows}), corpus.digest)


def test_the_rows_of_the_end_are_those_without_it_times_their_weights(corpus: TrainingCorpus) -> None:
    plain, weighed = (run(corpus, a).parameters["embeddings"] for a in (0.0, 0.02))
    expected: npt.NDArray[np.float32] = plain * row_weights(corpus, ROWS, 0.02)
    np.testing.assert_array_equal(weighed, expected)
    assert (weighed[1] != plain[1]).any()


def test_what_has_learnt_nothing_is_not_weighed(corpus: TrainingCorpus) -> None:
    rows = run(corpus, 0.02, epochs=0).parameters["embeddings"]
    np.testing.assert_array_equal(rows, random_embeddings(ROWS, CONFIG.dimension, CONFIG.seed, unknown=0))


def test_development_scores_are_those_of_the_weighed_rows(corpus: TrainingCorpus, development: DevelopmentSet) -> None:
    outcome = run(corpus, 0.02, development)
    rows = outcome.parameters["embeddings"]
    assert development.pearson(lambda tokens: mean_vectors(rows, tokens, 1)) == outcome.development
    assert run(corpus, 0.0, development).development != outcome.development


def after(calls: int) -> Callable[[], bool]:
    left = iter([False] * (calls - 1) + [True] * 1000)
    return lambda: next(left)


@pytest.mark.parametrize("selecting", [False, True], ids=["last epoch", "best epoch"])
def test_a_run_that_was_stopped_ends_with_the_same_bytes(
    corpus: TrainingCorpus, development: DevelopmentSet, tmp_path: Path, selecting: bool
) -> None:
    chosen = development if selecting else None
    stops = 0
    while True:
        checkpoint = Checkpoint.read(tmp_path) or first_checkpoint(corpus)
        try:
            outcome = train_parameters(
                corpus, CONFIG, checkpoint, folder=tmp_path, development=chosen, stop_asked=after(2)
            )
            break
        except Stopped:
            stops += 1
    assert stops > 3
    straight = run(corpus, CONFIG.inverse_frequency, chosen)
    assert outcome.parameters["embeddings"].tobytes() == straight.parameters["embeddings"].tobytes()
    assert outcome.development == straight.development


def test_a_blstm_cannot_be_weighed_so() -> None:
    with pytest.raises(UsageError, match="a BLSTM is none"):
        TrainingConfig.of("paper", encoder="blstm", inverse_frequency=0.01)
    assert TrainingConfig.of("calque", encoder="blstm").inverse_frequency == 0


@pytest.mark.parametrize("wrong", [-0.1, float("nan"), float("inf")])
def test_a_weight_that_is_none_is_refused(wrong: float) -> None:
    with pytest.raises(UsageError, match="inverse-frequency: expected"):
        TrainingConfig.of(inverse_frequency=wrong)
