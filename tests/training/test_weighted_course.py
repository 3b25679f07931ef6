"""Bitexts with weights: how often an epoch sees each pair."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from calque.corpus import Bitext
from calque.errors import CorpusError
from calque.training import TrainingConfig, tokenise
from calque.training.corpus import Part
from calque.training.mega_batches import Course, MegaBatch, Place
from calque.vocabulary.words import WordVocabulary

EN_ES, EN_DE = ("en", "es"), ("en", "de")

configs = st.builds(
    TrainingConfig.of,
    batch_size=st.integers(1, 20),
    mega_batch=st.integers(1, 6),
    annealing=st.integers(1, 10),
    epochs=st.integers(1, 3),
    mixing=st.sampled_from(["one-pair", "mixed"]),
    seed=st.integers(0, 5),
)
weighted_parts = st.lists(
    st.tuples(
        st.sampled_from([EN_ES, EN_DE, None]),
        st.integers(0, 40),
        st.one_of(st.sampled_from([0.0, 0.5, 1.0, 2.0]), st.floats(0, 4)),
    ),
    min_size=1,
    max_size=4,
).filter(lambda parts: any(round(weight * count) for _, count, weight in parts))


def course_of(parts: Any, config: TrainingConfig) -> Course:
    return Course([Part(languages, count) for languages, count, _ in parts], config, [weight for *_, weight in parts])


def counts_by_epoch(batches: list[MegaBatch], pairs: int) -> list[npt.NDArray[np.int64]]:
    ends = [0, *(number + 1 for number, batch in enumerate(batches) if batch.ends_epoch)]
    assert ends[-1] == len(batches)
    epochs = [np.concatenate([batch.pairs for batch in batches[begin:end]]) for begin, end in pairwise(ends)]
    return [np.bincount(epoch, minlength=pairs) for epoch in epochs]


def as_plain(batches: list[MegaBatch]) -> list[Any]:
    return [(batch.pairs.tolist(), batch.rates.tolist(), batch.after, batch.ends_epoch) for batch in batches]


@given(parts=weighted_parts, config=configs)
@settings(max_examples=200)
def test_each_pair_is_seen_as_often_as_its_weight_says_rounded_up_or_down(parts: Any, config: TrainingConfig) -> None:
    batches = list(course_of(parts, config).mega_batches(Place()))
    epochs = counts_by_epoch(batches, sum(count for _, count, _ in parts))
    assert len(epochs) == config.epochs
    for seen in epochs:
        begin = 0
        for _, count, weight in parts:
            own = seen[begin : begin + count]
            total = round(weight * count)
            assert own.sum() == total
            if count:
                assert set(own.tolist()) <= {total // count, -(-total // count)}
            begin += count


@given(parts=weighted_parts, config=configs)
def test_steps_are_told_beforehand(parts: Any, config: TrainingConfig) -> None:
    course = course_of(parts, config)
    batches = list(course.mega_batches(Place()))
    assert sum(batch.size for batch in batches) == course.steps == batches[-1].after.steps


@given(parts=weighted_parts, config=configs, data=st.data())
@settings(max_examples=200)
def test_going_on_from_any_place_gives_the_rest(parts: Any, config: TrainingConfig, data: st.DataObject) -> None:
    batches = list(course_of(parts, config).mega_batches(Place()))
    stop = data.draw(st.integers(0, len(batches)))
    place = Place.from_dict(batches[stop - 1].after.as_dict()) if stop else Place()
    assert as_plain(list(course_of(parts, config).mega_batches(place))) == as_plain(batches[stop:])


@given(parts=weighted_parts, config=configs)
def test_weights_of_one_change_nothing(parts: Any, config: TrainingConfig) -> None:
    plain = [Part(languages, count + 1) for languages, count, _ in parts]
    expected = as_plain(list(Course(plain, config).mega_batches(Place())))
    assert as_plain(list(Course(plain, config, [1.0] * len(plain)).mega_batches(Place()))) == expected


def test_a_weight_that_rounds_to_all_pairs_changes_nothing_either() -> None:
    config = TrainingConfig.of(epochs=1)
    plain = list(Course([Part(EN_ES, 10)], config).mega_batches(Place()))
    assert as_plain(list(Course([Part(EN_ES, 10)], config, [1.04]).mega_batches(Place()))) == as_plain(plain)


def test_another_epoch_and_another_seed_draw_other_pairs() -> None:
    def drawn(seed: int) -> list[set[int]]:
        course = Course([Part(EN_ES, 200)], TrainingConfig.of(epochs=3, seed=seed), [0.3])
        return [set(np.flatnonzero(seen)) for seen in counts_by_epoch(list(course.mega_batches(Place())), 200)]

    first, second, third = drawn(1)
    assert len(first) == len(second) == len(third) == 60
    assert first != second != third != first
    assert drawn(1) == [first, second, third]
    assert drawn(2)[0] != first


def test_all_pairs_of_a_fraction_are_seen_in_the_long_run() -> None:
    course = Course([Part(EN_ES, 50)], TrainingConfig.of(epochs=40), [1.25])
    total = np.sum(counts_by_epoch(list(course.mega_batches(Place())), 50), axis=0)
    assert total.sum() == 40 * round(1.25 * 50)
    assert total.min() > 40


def test_a_bitext_of_weight_zero_is_never_seen_and_its_group_is_not_drawn() -> None:
    course = Course([Part(EN_ES, 30), Part(EN_DE, 20)], TrainingConfig.of(epochs=2, batch_size=4), [0.0, 1.0])
    assert course.windows[0].sizes == [20]
    for batch in course.mega_batches(Place()):
        assert batch.pairs.min() >= 30


def test_heavier_bitexts_fill_more_of_an_epoch_from_its_beginning() -> None:
    parts = [Part(EN_ES, 100), Part(EN_DE, 100)]
    config = TrainingConfig.of(epochs=1, batch_size=10, mega_batch=1)
    batches = list(Course(parts, config, [4.0, 1.0]).mega_batches(Place()))
    german = [number for number, batch in enumerate(batches) if batch.pairs[0] >= 100]
    assert (len(batches), len(german)) == (50, 10)
    assert min(german) < 25 < max(german)


@pytest.fixture
def bitext(tmp_path: Any) -> Bitext:
    path = tmp_path / "tiny.en-es.tsv"
    path.write_text("dog\tperro\ncat\tgato\nbird\tave\n", encoding="utf-8")
    return Bitext((str(path),), EN_ES)


VOCABULARY = WordVocabulary(["dog", "cat", "bird", "perro", "gato", "ave"])


def test_weights_too_small_for_a_single_pair_are_an_error(bitext: Bitext) -> None:
    assert tokenise([bitext], VOCABULARY, 1, weights=(0.2,)).weights == (0.2,)
    with pytest.raises(CorpusError, match="too small for an epoch to see a single pair"):
        tokenise([bitext], VOCABULARY, 1, weights=(0.1,))


def test_the_digest_tells_weights_apart(bitext: Bitext) -> None:
    digests = {tokenise([bitext], VOCABULARY, 1, weights=weights).digest for weights in ((), (0.5,), (2.0,))}
    assert len(digests) == 3
