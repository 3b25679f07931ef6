"""How much of an experiment is run."""

from __future__ import annotations

import pytest

from calque.errors import UsageError
from calque.paper.scale import SCALES, scale_named


def test_small_and_full_are_named() -> None:
    small, full = scale_named("small"), scale_named("full")
    assert small.at_most(2_000_000) == 25_000
    assert small.at_most(500) == 500
    assert full.at_most(2_000_000) == 2_000_000, "never more than the paper"
    assert full.epochs == 10
    assert full.languages is None


@pytest.mark.parametrize("text", ["20000", "20,000", "20_000"])
def test_a_number_is_at_most_so_many_pairs_with_the_papers_epochs(text: str) -> None:
    scale = scale_named(text)
    assert (scale.name, scale.pairs, scale.recurrent_pairs, scale.epochs) == ("20000", 20_000, 20_000, 10)
    assert (scale.language_pairs, scale.language_pieces) == (10_000, 4_000)
    assert (scale.at_most(2_000_000), scale.at_most(10)) == (20_000, 10)


def test_the_smallest_number_is_a_thousand() -> None:
    assert scale_named("1000").language_pairs == 1_000
    with pytest.raises(UsageError, match="from 1,000 on, got 999"):
        scale_named("999")


@pytest.mark.parametrize(
    "text", ["", "0", "-5000", "5e4", "2.5", "50k", "Small", "full ", "²000", "../full", ",", "9" * 19, "9" * 5000]
)
def test_anything_else_is_a_mistake(text: str) -> None:
    with pytest.raises(UsageError, match="expected small, full or a number of sentence pairs") as problem:
        scale_named(text)
    assert problem.value.hint


def test_epochs_are_the_papers_on_a_corpus_as_large_as_the_papers() -> None:
    assert [SCALES["full"].epochs_of(1_000_000, epochs) for epochs in (10, 20)] == [10, 20]
    assert [SCALES["tiny"].epochs_of(300, epochs) for epochs in (10, 20, 2)] == [1, 2, 1]


def test_a_small_corpus_is_gone_through_more_often_but_not_without_end() -> None:
    full = SCALES["full"]
    assert full.epochs_of(64_000) == 20
    assert full.epochs_of(64_001) == 20
    assert full.epochs_of(64_000, 30) == 30
    assert full.epochs_of(500) == full.epochs_of(0) == 60
