"""In which order pairs are seen, and how many at once."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from calque.training import TrainingConfig
from calque.training.corpus import Part
from calque.training.mega_batches import Course, MegaBatch, Place

EN_ES, EN_DE = ("en", "es"), ("en", "de")

# What a course is made of: (parts, config).
parts = st.builds(Part, st.sampled_from([EN_ES, EN_DE, None]), st.integers(0, 60), st.booleans())
plans = st.tuples(
    st.lists(
        st.builds(Part, st.sampled_from([EN_ES, EN_DE, None]), st.integers(0, 60), st.booleans()),
        min_size=1,
        max_size=5,
    ).filter(lambda parts: any(part.pairs for part in parts)),
    st.builds(
        TrainingConfig.of,
        batch_size=st.integers(1, 20),
        mega_batch=st.integers(1, 6),
        annealing=st.integers(1, 10),
        epochs=st.integers(0, 3),
        mixing=st.sampled_from(["one-pair", "mixed"]),
        seed=st.integers(0, 5),
        decay=st.booleans(),
    ),
)
courses = plans.map(lambda plan: Course(*plan))


def whole(course: Course) -> list[MegaBatch]:
    return list(course.mega_batches(Place()))


def epochs(batches: list[MegaBatch]) -> list[list[MegaBatch]]:
    ends = [0, *(number + 1 for number, batch in enumerate(batches) if batch.ends_epoch)]
    assert ends[-1] == len(batches)
    return [batches[begin:end] for begin, end in pairwise(ends)]


def as_plain(batches: list[MegaBatch]) -> list[Any]:
    return [
        (batch.pairs.tolist(), batch.size, batch.rates.tolist(), batch.after, batch.ends_epoch) for batch in batches
    ]


@given(course=courses)
def test_every_pair_is_seen_exactly_once_an_epoch(course: Course) -> None:
    seen = epochs(whole(course))
    assert len(seen) == course.config.epochs
    total = sum(run.count for group in course.windows[0].groups for run in group)
    for epoch in seen:
        assert sorted(np.concatenate([batch.pairs for batch in epoch]).tolist()) == list(range(total))


@given(course=courses)
def test_the_mega_batch_grows_by_one_each_annealing_steps_up_to_its_maximum(course: Course) -> None:
    config, steps = course.config, 0
    for batch in whole(course):
        largest = min(config.mega_batch, 1 + steps // config.annealing)
        assert 1 <= len(batch.pairs) <= largest * config.batch_size
        assert batch.size == len(batch.rates) == -(-len(batch.pairs) // config.batch_size)
        steps += batch.size
        assert batch.after.steps == steps
    assert steps == course.steps


def test_growth_can_be_read_off() -> None:
    config = TrainingConfig.of(batch_size=10, mega_batch=3, annealing=4, epochs=1)
    sizes = [batch.size for batch in whole(Course([Part(EN_ES, 300)], config))]
    # Four steps of one; then of two, while the steps before are fewer than eight; then of three.
    assert sizes == [1, 1, 1, 1, 2, 2, *[3] * 7, 1]


@given(plan=plans, data=st.data())
@settings(max_examples=200)
def test_going_on_from_any_place_gives_the_rest_of_the_sequence(plan: Any, data: st.DataObject) -> None:
    batches = whole(Course(*plan))
    stop = data.draw(st.integers(0, len(batches)))
    place = Place.from_dict(batches[stop - 1].after.as_dict()) if stop else Place()
    assert as_plain(list(Course(*plan).mega_batches(place))) == as_plain(batches[stop:])


def test_one_pair_mega_batches_never_mix_language_pairs_and_mixed_ones_do() -> None:
    parts = [Part(EN_ES, 100), Part(EN_DE, 150), Part(EN_ES, 50)]
    german = range(100, 250)
    for mixing, mixed in (("one-pair", False), ("mixed", True)):
        config = TrainingConfig.of(batch_size=10, mega_batch=4, annealing=1, epochs=2, mixing=mixing)
        kinds = [{pair in german for pair in batch.pairs.tolist()} for batch in whole(Course(parts, config))]
        assert any(len(kind) == 2 for kind in kinds) == mixed


def test_bitexts_of_one_language_pair_are_one_group() -> None:
    config = TrainingConfig.of(batch_size=10, annealing=1, epochs=1)
    course = Course([Part(EN_ES, 40), Part(EN_DE, 30), Part(EN_ES, 20)], config)
    assert sorted(course.windows[0].sizes) == [30, 60]
    assert any(
        any(pair < 40 for pair in batch.pairs) and any(pair >= 70 for pair in batch.pairs) for batch in whole(course)
    )


def test_a_bitext_that_lost_all_its_pairs_does_no_harm() -> None:
    config = TrainingConfig.of(batch_size=10, epochs=2)
    assert len(whole(Course([Part(EN_ES, 0), Part(EN_DE, 25)], config))) > 0


def test_all_groups_last_until_near_the_end_of_the_epoch() -> None:
    config = TrainingConfig.of(batch_size=10, mega_batch=1, epochs=1)
    batches = whole(Course([Part(EN_ES, 900), Part(EN_DE, 100)], config))
    german = [number for number, batch in enumerate(batches) if batch.pairs[0] >= 900]
    assert len(german) == 10
    assert min(german) < 50 < max(german)


def test_each_epoch_and_each_seed_has_an_order_of_its_own() -> None:
    def order(seed: int) -> list[list[int]]:
        course = Course([Part(EN_ES, 200)], TrainingConfig.of(epochs=3, seed=seed, batch_size=200))
        return [batch.pairs.tolist() for batch in whole(course)]

    first, second, third = order(1)
    assert first != second
    assert second != third
    assert order(1) == order(1)
    assert order(2)[0] != first
    assert first != sorted(first)


def test_the_rate_falls_to_nearly_nothing_in_a_straight_line() -> None:
    config = TrainingConfig.of(batch_size=10, epochs=5, learning_rate=0.5, decay=True)
    rates = np.concatenate([batch.rates for batch in whole(Course([Part(EN_ES, 200)], config))])
    assert len(rates) == 100
    np.testing.assert_allclose(rates, 0.5 * (1 - np.arange(100) / 100), rtol=1e-5)
    assert 0 < rates[-1] < 0.01


@given(course=courses)
def test_rates_never_turn_negative_nor_do_they_rise(course: Course) -> None:
    batches = whole(course)
    rates = np.concatenate([batch.rates for batch in batches]) if batches else np.zeros(0)
    assert (rates > 0).all()
    assert (np.diff(rates) <= 0).all()


def test_without_decay_the_rate_stays() -> None:
    config = TrainingConfig.of("paper", batch_size=10, epochs=3)
    for batch in whole(Course([Part(EN_ES, 200)], config)):
        assert batch.rates.tolist() == pytest.approx([0.001] * batch.size)
