"""The n-th highest number, the best so many, and verdicts on disk."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from calque.corpus.cleaning.clean import NO_OBJECTION
from calque.errors import CorpusError, UsageError
from calque.filtering import Decision, Keep, decide
from calque.filtering import spool as spools
from calque.filtering.report import quantiles
from calque.filtering.selection import nth_highest, places_from_the_top
from calque.filtering.spool import spooling

floats = st.floats(width=32, allow_nan=False)


@given(st.lists(floats, min_size=1, max_size=60), st.data())
def test_the_nth_highest_is_that_of_a_sorted_list(drawn: list[float], data: st.DataObject) -> None:
    values = np.array(drawn, np.float32)
    n = data.draw(st.integers(1, len(values)))
    found = nth_highest(lambda: np.array_split(values, 3), n)
    expected = np.sort(values)[::-1][n - 1]
    assert found.value == expected
    assert found.above == (values > expected).sum()


@given(st.lists(floats, min_size=1, max_size=60))
def test_all_places_are_found_in_two_readings(drawn: list[float]) -> None:
    values, readings = np.array(drawn, np.float32), []

    def read() -> list[np.ndarray]:
        readings.append(1)
        return np.array_split(values, 3)

    found = places_from_the_top(read, range(1, len(values) + 1))
    assert [place.value for place in found] == np.sort(values)[::-1].tolist()
    assert len(readings) == 2


@given(st.lists(st.integers(0, 5), min_size=1, max_size=40), st.integers(1, 50))
def test_the_best_so_many_are_kept_and_the_first_of_equals(drawn: list[int], wanted: int) -> None:
    scores = np.array(drawn, np.float32)
    decision = decide(lambda: [scores], len(scores), keep=Keep(pairs=wanted))
    kept = np.concatenate([decision.accept(part) for part in np.array_split(scores, 4)])
    best = sorted(range(len(scores)), key=lambda at: (-scores[at], at))[:wanted]
    assert np.flatnonzero(kept).tolist() == sorted(best)


@pytest.mark.parametrize(
    ("text", "of_ten"), [("80%", 8), ("100%", 10), ("0.5%", 0), ("12.5%", 1), ("3", 3), ("99", 10)]
)
def test_keep_is_a_share_or_a_number(text: str, of_ten: int) -> None:
    assert Keep.parse(text).of(10) == of_ten


@pytest.mark.parametrize("text", ["0%", "120%", "abc", "-5", "0", "1.5", "%", "nan%", "1e3", ""])
def test_keep_that_makes_no_sense_is_an_error(text: str) -> None:
    with pytest.raises(UsageError, match="keep: expected a share above 0% up to 100%, or a number of pairs") as problem:
        Keep.parse(text)
    assert "--keep 80%" in (problem.value.hint or "")


def test_nothing_is_kept_of_so_few_that_a_share_of_them_is_none() -> None:
    assert decide(lambda: [np.ones(1, np.float32)], 1, keep=Keep(share=0.1)).threshold == math.inf


def test_a_threshold_keeps_what_reaches_it() -> None:
    assert Decision(0.5).accept(np.array([0.4, 0.5, 0.6], np.float32)).tolist() == [False, True, True]


def test_without_an_estimate_there_is_no_threshold() -> None:
    with pytest.raises(CorpusError, match="fewer than 200 pairs: 12 are left to judge"):
        decide(lambda: [], 12)


def test_quantiles_are_exact() -> None:
    scores = np.random.default_rng(1).permutation(1001).astype(np.float32)
    found = quantiles(lambda: [scores], 1001)
    assert found == {"0.01": 10, "0.05": 50, "0.25": 250, "0.5": 500, "0.75": 750, "0.95": 950, "0.99": 990}
    assert quantiles(lambda: [], 0) == {}


def test_verdicts_come_back_in_their_order() -> None:
    with spooling() as spool:
        spool.add(np.array([NO_OBJECTION, 3], np.int16), np.array([0.25], np.float32))
        spool.add(np.array([NO_OBJECTION], np.int16), np.array([-0.5], np.float32))
        assert (spool.pairs, spool.scored) == (3, 2)
        assert np.concatenate(list(spool.scores())).tolist() == [0.25, -0.5]
        spool.rewind()
        assert [verdict.item() for verdict in spool.take(2)] == [(NO_OBJECTION, 0.25), (3, 0.0)]
        assert len(spool.take(2)) == 1


def test_of_very_many_scores_every_so_manieth_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spools, "_SAMPLED", 10)
    monkeypatch.setattr(spools, "_BLOCK", 7)
    with spooling() as spool:
        spool.add(np.full(95, NO_OBJECTION, np.int16), np.arange(95, dtype=np.float32))
        assert spools.sampled(spool.scores(), spool.scored).tolist() == list(range(0, 95, 10))
