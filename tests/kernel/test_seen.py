"""Which hashes came before: exactly, as long as there is room; in bounded memory and counted, when there is not."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from calque import _kernel

CERTAIN = 0.8  # of the slots


def as_hashes(values: Any) -> Any:
    return np.asarray(values, dtype=np.uint64)


def random_hashes(count: int, seed: int = 1) -> Any:
    return np.random.default_rng(seed).integers(0, 1 << 64, count, dtype=np.uint64)


def seen_by_a_set(hashes: Any) -> list[bool]:
    known: set[int] = set()
    answers = []
    for value in hashes.tolist():
        answers.append(value in known)
        known.add(value)
    return answers


@given(st.lists(st.lists(st.integers(0, 40) | st.integers(0, (1 << 64) - 1), max_size=60), max_size=8))
@settings(max_examples=200)
def test_with_room_enough_the_answers_are_a_set_s(calls: list[list[int]]) -> None:
    seen = _kernel.Seen(1024)
    answers = [answer for hashes in calls for answer in seen.add(as_hashes(hashes)).tolist()]
    assert answers == seen_by_a_set(as_hashes([value for hashes in calls for value in hashes]))
    assert seen.forgotten == 0


def test_nought_and_one_are_two_hashes() -> None:
    seen = _kernel.Seen(8)
    assert seen.add(as_hashes([0, 1, 0, 1])).tolist() == [False, False, True, True]
    other = _kernel.Seen(8)
    assert other.add(as_hashes([1, 0, 1, 0])).tolist() == [False, False, True, True]


def test_many_equal_hashes_take_one_place() -> None:
    seen = _kernel.Seen(4)
    answers = seen.add(as_hashes([7] * 100_000))
    assert not answers[0]
    assert answers[1:].all()
    assert seen.forgotten == 0


@pytest.mark.parametrize("slots", [1 << 16, 1 << 17, 1 << 20])
def test_the_promised_share_of_the_slots_is_held_for_certain(slots: int) -> None:
    seen = _kernel.Seen(slots)
    hashes = random_hashes(int(CERTAIN * slots))
    for part in np.array_split(hashes, 7):  # over several doublings
        assert not seen.add(part).any()
    assert seen.forgotten == 0
    assert seen.add(hashes).all()
    assert seen.forgotten == 0


def test_hashes_that_crowd_into_one_place_are_held_too() -> None:
    inverse = pow(0x9E3779B97F4A7C15, -1, 1 << 64)
    crowded = as_hashes([(5 << 20 | low) * inverse % (1 << 64) for low in range(1, 800)])  # all have the same home
    seen = _kernel.Seen(1024)
    assert not seen.add(crowded).any()
    assert seen.add(crowded).all()
    assert seen.forgotten == 0


@given(slots=st.sampled_from([1, 2, 8, 16, 64, 1024]), count=st.integers(1, 3000), seed=st.integers(0, 999))
@settings(max_examples=100)
def test_a_table_that_is_too_small_never_takes_a_new_hash_for_an_old_one(slots: int, count: int, seed: int) -> None:
    hashes = np.unique(random_hashes(count, seed))
    seen = _kernel.Seen(slots)
    assert not seen.add(hashes).any()
    again = _kernel.Seen(slots)
    again.add(hashes)
    assert again.forgotten == seen.forgotten


@pytest.mark.parametrize("slots", [16, 64, 256])
def test_what_is_forgotten_is_counted(slots: int) -> None:
    hashes = random_hashes(2 * slots)

    def filled() -> _kernel.Seen:
        seen = _kernel.Seen(slots)
        seen.add(hashes)
        return seen

    forgotten = filled().forgotten
    missed = sum(not filled().add(hashes[at : at + 1])[0] for at in range(len(hashes)))  # asking adds: ask each afresh
    assert slots <= missed <= forgotten  # no more than there are slots can be known


def test_a_full_table_still_knows_what_came_last() -> None:
    seen = _kernel.Seen(1 << 12)
    hashes = random_hashes(1 << 15)
    seen.add(hashes)
    assert seen.add(hashes[-100:]).mean() > 0.9


def test_the_same_hashes_give_the_same_answers_however_they_are_cut() -> None:
    hashes = np.concatenate([random_hashes(5000), random_hashes(5000)[::-1]])
    whole, parts = _kernel.Seen(1024), _kernel.Seen(1024)
    answers = whole.add(hashes).tolist()
    assert [answer for part in np.array_split(hashes, 13) for answer in parts.add(part).tolist()] == answers
    assert whole.forgotten == parts.forgotten


def test_memory_stays_within_its_bound() -> None:
    code = """
import resource
import numpy as np
from calque import _kernel
seen = _kernel.Seen(1 << 20)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
for seed in range(30):
    seen.add(np.random.default_rng(seed).integers(0, 1 << 64, 100_000, dtype=np.uint64))
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert float(done.stdout) < 8 + 4 + 8  # megabytes: the table, the one it grew from, and the hashes


@pytest.mark.parametrize("slots", [0, 3, 1000])
def test_the_number_of_slots_is_a_power_of_two(slots: int) -> None:
    with pytest.raises(ValueError, match="power of two"):
        _kernel.Seen(slots)


def test_no_hashes_have_no_answers() -> None:
    assert _kernel.Seen(8).add(as_hashes([])).shape == (0,)
