"""A sample of a stream: fair, repeatable, and without blank pairs."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from calque.batches import batches
from calque.corpus import Pair
from calque.filtering.sample import Sample, sample_of

PAIRS = [Pair(f"source {at}", f"target {at}") for at in range(5000)]


def test_fewer_pairs_than_wanted_are_all_in_the_sample() -> None:
    assert sorted(sample_of(PAIRS[:50], 100)) == sorted(PAIRS[:50])


def test_every_part_of_a_stream_is_represented() -> None:
    places = sorted(int(pair.source.split()[1]) for pair in sample_of(PAIRS, 1000))
    assert len(set(places)) == 1000
    assert (np.abs(np.histogram(places, 5, (0, 5000))[0] - 200) < 60).all()  # four deviations


def test_what_came_first_does_not_stand_first() -> None:
    first = [int(pair.source.split()[1]) for pair in sample_of(PAIRS, 4000)[:1000]]
    assert np.mean(np.array(first) >= 1000) > 0.6


@given(st.integers(1, 700), st.integers(1, 50))
def test_how_a_stream_is_cut_into_batches_does_not_matter(size: int, wanted: int) -> None:
    sample = Sample(wanted)
    for batch in batches(PAIRS[:600], size):
        sample.add(batch)
    assert sample.pairs() == sample_of(PAIRS[:600], wanted)


def test_blank_pairs_are_left_out() -> None:
    sample = Sample(10)
    sample.add([Pair("a", " "), Pair("", "b"), Pair("c", "d")])
    assert (sample.pairs(), sample.seen) == ([Pair("c", "d")], 1)
