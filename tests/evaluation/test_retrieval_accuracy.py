"""Accuracy of retrieval, worked by hand."""

from __future__ import annotations

from typing import Any

import pytest
from lookup import Lookup

from calque.evaluation.result import Result
from calque.evaluation.retrieval import measure_retrieval
from calque.evaluation.sets.aligned import AlignedSet


def measured(source: list[Any], target: list[Any], resamples: int = 50) -> Result:
    """Of sentences with these vectors, the first translated by the first and so on."""
    sides = [[f"{side}{at}" for at in range(len(source))] for side in "st"]
    vectors = dict(zip(sides[0] + sides[1], source + target, strict=True))
    data = AlignedSet("deu-eng", ("de", "en"), *sides)
    return measure_retrieval(Lookup(vectors).subject, "tatoeba:deu-eng", data, resamples)


def accuracies(result: Result) -> tuple[float, ...]:
    return tuple(result.values[name] for name in ("accuracy", "forward", "backward", "margin_accuracy"))


# Cosines:         target 0   target 1   target 2
#     source 0       0.6        0          0.8
#     source 1       0          0.6        0.8
#     source 2       0          0          1
HUB = [[0.8, 0.6, 0], [0.8, 0, 0.6], [1, 0, 0]], [[0, 1, 0], [0, 0, 1], [1, 0, 0]]


def test_a_hub_misleads_one_direction_and_not_the_margin() -> None:
    found = measured(*HUB)
    assert accuracies(found) == pytest.approx((200 / 3, 100 / 3, 100, 100))
    assert (found.name, found.n, found.signature) == ("tatoeba:deu-eng", 3, "tatoeba:deu-eng|n:3|lookup")


def test_directions_swap_with_the_sides() -> None:
    assert accuracies(measured(HUB[1], HUB[0])) == pytest.approx((200 / 3, 100, 100 / 3, 100))


def test_the_length_of_vectors_does_not_matter() -> None:
    stretched = [[7 * number for number in vector] for vector in HUB[0]]
    assert accuracies(measured(stretched, HUB[1])) == pytest.approx((200 / 3, 100 / 3, 100, 100))


def test_all_wrong() -> None:
    assert accuracies(measured([[1, 0], [0, 1]], [[0, 1], [1, 0]])) == (0, 0, 0, 0)


def test_one_sentence_finds_the_only_other() -> None:
    found = measured([[1, 0]], [[0.6, 0.8]])
    assert accuracies(found) == (100, 100, 100, 100)
    assert found.intervals["accuracy"] == (100, 100)


def test_of_identical_sentences_the_first_is_found() -> None:
    assert accuracies(measured([[1, 0]] * 4, [[1, 0]] * 4)) == (25, 25, 25, 25)


def test_sentences_without_any_known_piece_are_found_by_nobody_but_the_first() -> None:
    found = measured([[1, 0], [0, 0]], [[1, 0], [0, 0]])
    assert accuracies(found) == (50, 50, 50, 50)


def test_both_sides_are_encoded_in_their_languages() -> None:
    lookup = Lookup({"Hallo": [1], "Hello": [1]})
    measure_retrieval(lookup.subject, "x", AlignedSet("deu-eng", ("de", "en"), ["Hallo"], ["Hello"]), 0)
    measure_retrieval(lookup.subject, "x", AlignedSet("deu-eng", None, ["Hallo"], ["Hello"]), 0)
    assert [language for language, _ in lookup.asked] == ["de", "en", None, None]


def test_intervals_hold_the_score() -> None:
    found = measured(*HUB, resamples=500)
    for measure, (low, high) in found.intervals.items():
        assert low <= found.values[measure] <= high
    assert found.intervals["backward"] == (100, 100)
    assert found.intervals["forward"] == pytest.approx((0, 100))
