"""Leaders and followers, against a slow twin that takes one text after the other."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from calque.deduplication import leaders as module
from calque.deduplication.contrast import REASONS, Contrast, contrast
from calque.deduplication.leaders import find_leaders, find_references
from calque.deduplication.lexicon import lexicon
from calque.deduplication.units import Indices, Units

TEXTS = ["a door", "no door", "open the door", "close the door"]
NUMBER = REASONS.index("number") + 1


def cosine(units: Units, one: int, two: int) -> float:
    sides = [units.vectors[at].reshape(units.sides, -1).astype(np.float64) for at in (one, two)]
    return float((sides[0] * sides[1]).sum(axis=1).min())


def slow_reason(units: Units, one: int, two: int) -> int:
    """The code of what tells two units apart in words; of several sides, that of the first."""
    if units.texts is None:
        return 0
    rows = zip(*units.texts(np.array([one, two])), strict=True)
    found = [reason for first, second in rows if (reason := contrast(first, second, lexicon()))]
    return REASONS.index(found[0]) + 1 if found else 0


def slow_leader(units: Units, one: int, candidates: list[int], threshold: float) -> tuple[int, int]:
    """The first with the same letters, or the most similar with the same digits that says nothing else, or −1.

    And without one, what tells it from the most similar.
    """
    same = [at for at in candidates if units.letters[at] == units.letters[one]]
    if same:
        return same[0], 0
    near = [at for at in candidates if cosine(units, one, at) >= threshold]
    near.sort(key=lambda at: -cosine(units, one, at))
    numbers = [at for at in near if units.digits[at] == units.digits[one]]
    reasons = [slow_reason(units, one, at) for at in numbers]
    if 0 in reasons:
        return numbers[reasons.index(0)], 0
    return -1, reasons[0] if reasons else NUMBER if near else 0


def slow_leaders(units: Units, order: list[int], threshold: float) -> tuple[list[int], list[int]]:
    found, reasons = list(range(len(units))), [0] * len(units)
    leading: list[int] = []
    for one in order:
        leader, reasons[one] = slow_leader(units, one, leading, threshold)
        if leader < 0:
            leading.append(one)
        else:
            found[one] = leader
    return found, reasons


def some_units(seed: int, count: int, sides: int) -> Units:
    """Vectors in a few clouds, so that there are many near pairs and chains of them; some are zero.

    Some of the near pairs are told apart by their texts.
    """
    chance = np.random.default_rng(seed)
    middles = chance.normal(size=(5, sides, 6))
    vectors = middles[chance.integers(5, size=count)] + 0.25 * chance.normal(size=(count, sides, 6))
    vectors /= np.linalg.norm(vectors, axis=2, keepdims=True)
    vectors[chance.random(count) < 0.05] = 0
    letters, digits = chance.integers(count, size=count), chance.integers(3, size=count)
    rows = [tuple(TEXTS[at] for at in row) for row in chance.integers(len(TEXTS), size=(count, sides))]

    def texts(units: Indices) -> list[tuple[str, ...]]:
        return [rows[unit] for unit in units]

    return Units(
        vectors.reshape(count, -1).astype(np.float32), letters.astype(np.uint64), digits.astype(np.uint64), sides, texts
    )


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_ROWS", 7)
    monkeypatch.setattr(module, "_COLUMNS", 5)


@given(seed=st.integers(0, 10_000), count=st.integers(1, 60), sides=st.integers(1, 2), threshold=st.floats(0.5, 0.99))
@settings(max_examples=60)
def test_leaders_are_those_of_the_slow_twin_in_any_order(seed: int, count: int, sides: int, threshold: float) -> None:
    units = some_units(seed, count, sides)
    order = np.random.default_rng(seed).permutation(count)
    found = find_leaders(units, order, threshold, contrast=Contrast([None] * sides))
    leaders, reasons = slow_leaders(units, order.tolist(), threshold)
    assert found.leader.tolist() == leaders
    assert found.spared.reason.tolist() == reasons
    beside = found.spared.beside
    assert all((other < 0) == (reason == 0) for other, reason in zip(beside, reasons, strict=True))
    assert all(found.leader[other] == other for other in beside[beside >= 0])


@given(seed=st.integers(0, 10_000), count=st.integers(1, 60), sides=st.integers(1, 2), threshold=st.floats(0.5, 0.99))
@settings(max_examples=40)
def test_references_are_those_of_the_slow_twin(seed: int, count: int, sides: int, threshold: float) -> None:
    units = some_units(seed, count, sides)
    known = np.random.default_rng(seed).integers(count + 1)
    expected = [slow_leader(units, at, list(range(known)), threshold) for at in range(known, count)]
    found = find_references(units, int(known), threshold, contrast=Contrast([None] * sides))
    assert found.leader.tolist() == [leader for leader, _ in expected]
    alone = found.leader < 0
    assert found.spared.reason[alone].tolist() == [reason for leader, reason in expected if leader < 0]


def on_a_circle(*degrees: float) -> Units:
    angles = np.radians(degrees)
    vectors = np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)
    return Units(vectors, np.arange(len(degrees), dtype=np.uint64), np.zeros(len(degrees), np.uint64))


def test_a_chain_is_not_one_group() -> None:
    near = float(np.cos(np.radians(12)))
    assert find_leaders(on_a_circle(0, 10, 20, 30), np.arange(4), near).leader.tolist() == [0, 0, 2, 2]
    assert find_leaders(on_a_circle(0, 10, 20, 30), np.array([1, 0, 2, 3]), near).leader.tolist() == [1, 1, 1, 3]


def test_the_nearest_leader_is_followed_not_the_first() -> None:
    near = float(np.cos(np.radians(12)))
    assert find_leaders(on_a_circle(0, 15, 9), np.arange(3), near).leader.tolist() == [0, 1, 1]


def test_equal_vectors_are_near_at_a_threshold_of_one() -> None:
    assert find_leaders(on_a_circle(33, 33, 34), np.arange(3), 1.0).leader.tolist() == [0, 0, 2]


def test_a_zero_vector_is_near_to_nothing() -> None:
    units = Units(np.zeros((3, 4), np.float32), np.arange(3, dtype=np.uint64), np.zeros(3, np.uint64))
    assert find_leaders(units, np.arange(3), 0.01).leader.tolist() == [0, 1, 2]


def test_the_share_that_is_done_grows_to_one() -> None:
    shares: list[float] = []
    find_leaders(some_units(1, 50, 1), np.arange(50), 0.9, shares.append)
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
    find_references(some_units(1, 50, 1), 20, 0.9, shares.append)
    assert shares[-1] == 1.0
