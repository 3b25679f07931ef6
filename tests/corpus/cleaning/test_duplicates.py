"""Pairs that came before are dropped, within a batch and over batches, and the first copy stays."""

from __future__ import annotations

import pytest

from calque.corpus import Pair
from calque.corpus.cleaning import Cleaning, Report, Rule, clean_batches
from calque.corpus.cleaning.duplicates import Duplicate, NearDuplicate
from calque.corpus.cleaning.measures import Batch


def accepted(rule: Rule, *pairs: tuple[str, str]) -> list[bool]:
    return [bool(answer) for answer in rule.accept(rule.score(Batch([Pair(*pair) for pair in pairs])))]


def test_the_first_copy_is_kept() -> None:
    assert accepted(Duplicate(), ("a", "b"), ("c", "d"), ("a", "b"), ("a", "b")) == [True, True, False, False]


def test_a_copy_is_known_in_a_later_batch() -> None:
    rule = Duplicate()
    assert accepted(rule, ("a", "b")) == [True]
    assert accepted(rule, ("c", "d"), ("a", "b")) == [True, False]


def test_each_rule_has_a_memory_of_its_own() -> None:
    one, two = Duplicate(), Duplicate()
    assert accepted(one, ("a", "b")) == accepted(two, ("a", "b")) == [True]


@pytest.mark.parametrize(
    "other", [("b", "a"), ("a", "c"), ("c", "b"), ("A", "b"), ("a ", "b"), ("ab", ""), ("", "ab"), ("b", "b")]
)
def test_a_pair_that_differs_in_anything_is_no_duplicate(other: tuple[str, str]) -> None:
    assert accepted(Duplicate(), ("a", "b"), other) == [True, True]


@pytest.mark.parametrize(
    "other",
    [
        ("A DOG RUNS!", "Un perro corre"),
        ("a dog, runs", "¿Un perro corre?"),
        ("A  dog\u00a0runs. 5", "(Un perro corre…)"),
        ("Adogruns", "unperrocorre"),
    ],
)
def test_case_punctuation_digits_and_spaces_make_a_near_duplicate(other: tuple[str, str]) -> None:
    first = ("A dog runs.", "Un perro corre.")
    assert accepted(NearDuplicate(), first, other) == [True, False]
    assert accepted(Duplicate(), first, other) == [True, True]


@pytest.mark.parametrize(
    "other", [("A dog ran.", "Un perro corre."), ("A dog runs.", "Un perro corré."), ("runs a dog", "un perro corre")]
)
def test_other_letters_make_no_near_duplicate(other: tuple[str, str]) -> None:
    assert accepted(NearDuplicate(), ("A dog runs.", "Un perro corre."), other) == [True, True]


def test_texts_without_letters_are_compared_whole() -> None:
    assert accepted(NearDuplicate(), ("12:30", "12.30"), ("13:45", "13.45"), ("12:30", "12.30")) == [True, True, False]
    assert accepted(NearDuplicate(), ("❤\ufe0f", "1"), ("☀\ufe0f", "2"), ("", ""), (" ", " ")) == [True] * 4


def test_what_does_not_fit_into_memory_is_told() -> None:
    from calque import _kernel

    rule = Duplicate(seen=_kernel.Seen(64))
    pairs = [Pair(f"source {number}", f"target {number}") for number in range(1000)]
    report = Report()
    kept = [pair for batch in clean_batches([pairs, pairs], Cleaning((rule,), False, {}), report) for pair in batch]
    assert kept[:1000] == pairs  # never a false one
    assert report.forgotten == rule.forgotten > 900
    assert report.kept + report.dropped["duplicate"].count == 2000
