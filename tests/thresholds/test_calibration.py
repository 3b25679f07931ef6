"""A curve of precision and recall from scores and from how many wrong ones to expect."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from calque.errors import UsageError
from calque.thresholds import Trust, calibrate
from calque.thresholds.plot import plot_calibration
from calque.thresholds.trust import precision_range, recall_range

SCORES = np.array([0.9, 0.8, 0.8, 0.5, 0.2])


def test_pairs_of_one_score_are_kept_together() -> None:
    curve = calibrate(SCORES, lambda thresholds: np.zeros_like(thresholds), "none")
    assert curve.threshold.tolist() == [0.9, 0.8, 0.5, 0.2]
    assert curve.kept.tolist() == [1, 3, 4, 5]
    assert curve.precision.tolist() == [1, 1, 1, 1]
    assert curve.recall.tolist() == [0.2, 0.6, 0.8, 1]


def test_the_best_threshold_weighs_precision_against_recall() -> None:
    # Nothing wrong down to 0.8; below, whatever is added is wrong.
    curve = calibrate(SCORES, lambda thresholds: np.array([0.0, 0.0, 1.0, 2.0]), "known")
    best = curve.best()
    assert best[:4] == (0.8, 3, 1.0, 1.0)
    assert best.f1 == 1.0
    assert curve.at(0.5)[:4] == (0.5, 4, 0.75, 1.0)
    assert curve.at(0.5).f1 == pytest.approx(6 / 7)
    assert curve.at(0.6)[:4] == (0.6, 3, 1.0, 1.0)
    assert curve.at(2.0)[:4] == (2.0, 0, 0.0, 0.0)


def test_a_threshold_leaves_a_share_of_the_wrong_pairs() -> None:
    curve = calibrate(SCORES, lambda thresholds: np.array([0.0, 0.0, 1.0, 2.0]), "known")
    assert [curve.wrong_left(threshold) for threshold in (2.0, 0.8, 0.5, 0.1)] == [0.0, 0.0, 0.5, 1.0]
    assert calibrate(SCORES, lambda thresholds: np.zeros_like(thresholds), "none").wrong_left(0.1) == 0.0


def test_without_anything_right_nothing_is_kept() -> None:
    curve = calibrate(SCORES, lambda thresholds: np.full(len(thresholds), 99.0), "all wrong")
    assert curve.best()[:4] == (float("inf"), 0, 0.0, 0.0)
    assert calibrate(np.array([]), lambda thresholds: thresholds, "no scores").best().threshold == float("inf")


@given(st.lists(st.tuples(st.integers(0, 20), st.floats(0, 2)), min_size=1, max_size=40))
def test_precision_never_rises_and_recall_never_falls_as_the_threshold_does(drawn: list[tuple[int, float]]) -> None:
    scores = np.array([score for score, _ in drawn], float)
    extra = np.array([more for _, more in drawn])
    curve = calibrate(scores, lambda thresholds: np.cumsum(extra[: len(thresholds)]), "drawn")
    assert (np.diff(curve.precision) <= 1e-12).all()
    assert (np.diff(curve.recall) >= -1e-12).all()
    assert (curve.precision >= 0).all()
    assert (curve.precision <= 1 + 1e-12).all()
    assert curve.best().f1 == pytest.approx(curve.f1.max())


def test_a_plot_is_what_its_name_says(tmp_path) -> None:  # type: ignore[no-untyped-def]
    pytest.importorskip("matplotlib")
    curve = calibrate(SCORES, lambda thresholds: np.array([0.0, 0.0, 1.0, 2.0]), "known")
    plot_calibration(curve, SCORES, tmp_path / "curve.png", "cosine")
    assert (tmp_path / "curve.png").read_bytes().startswith(b"\x89PNG")
    plot_calibration(curve, SCORES, tmp_path / "curve.svg", "cosine")
    assert b"<svg" in (tmp_path / "curve.svg").read_bytes()
    with pytest.raises(UsageError, match="cannot draw 'jpg'"):
        plot_calibration(curve, SCORES, tmp_path / "curve.jpg", "cosine")


def test_chance_is_averaged_out_from_the_top_on() -> None:
    # The best pair seems wrong and the two after it right: more likely, each of the three is right by two thirds.
    curve = calibrate(np.array([3.0, 2.0, 1.0, 0.0]), lambda thresholds: np.array([1.0, 1.0, 1.0, 2.0]), "noisy")
    assert curve.precision.tolist() == pytest.approx([2 / 3, 2 / 3, 2 / 3, 1 / 2])
    assert curve.recall.tolist() == pytest.approx([1 / 3, 2 / 3, 1, 1])


def test_of_very_many_thresholds_some_are_looked_at_the_first_and_the_last_among_them() -> None:
    scores = np.linspace(1, 0, 100_000)
    curve = calibrate(scores, lambda thresholds: np.zeros_like(thresholds), "many")
    assert len(curve.threshold) < 2500
    assert curve.threshold[0] == 1
    assert (curve.threshold[-1], curve.kept[-1]) == (0, 100_000)
    assert curve.kept[:1000].tolist() == list(range(1, 1001))


def test_one_unlucky_pair_at_the_top_does_not_spoil_what_lies_below() -> None:
    scores = np.arange(100, dtype=float)
    curve = calibrate(scores, lambda thresholds: np.where(thresholds >= 50, 1.0, 51 - thresholds), "one wrong, on top")
    assert curve.precision[0] == pytest.approx(0.98)  # of 100 ≥ t ≥ 50, where there are most, one in fifty
    assert curve.best().threshold == 50


def test_precision_is_told_from_the_trusted_threshold_up_and_recall_where_it_is_trusted() -> None:
    trust = Trust(precision_from=0.5, recall=False, doubt="scores are too much alike", factor=2.0)
    curve = calibrate(SCORES, lambda thresholds: np.array([0.0, 0.0, 1.0, 2.0]), "known", trust=trust)
    above, below = curve.at(0.5), curve.at(0.2)
    assert above.precision == 0.75
    assert above.precision_range is not None
    assert above.precision_range.low < 0.5 < 0.875 < above.precision_range.high
    assert (above.recall, above.recall_range, above.f1) == (None, None, None)
    assert (below.precision, below.recall) == (None, None)
    assert below.kept == 5


@pytest.mark.parametrize(
    ("factor", "number", "range_told"),
    [(1.5, True, True), (3.0, False, True), (9.0, False, False)],
)
def test_a_wide_range_is_told_without_a_number_and_a_wider_one_not_at_all(
    factor: float, number: bool, range_told: bool
) -> None:
    trust = Trust(factor=factor, narrow=0.2, telling=0.4)
    scores = np.linspace(1, 0, 1000)
    choice = calibrate(scores, lambda thresholds: 100 * (1 - thresholds), "a tenth are wrong", trust=trust).at(0.0)
    assert (choice.precision is not None, choice.precision_range is not None) == (number, range_told)
    assert choice.is_told == range_told
    if choice.precision_range is not None:
        assert choice.precision_range.low <= 0.9 <= choice.precision_range.high


def test_recall_is_of_the_right_pairs_that_exist() -> None:
    curve = calibrate(SCORES, lambda thresholds: np.zeros_like(thresholds), "none", existing=10)
    assert curve.recall.tolist() == [0.1, 0.3, 0.4, 0.5]


@given(st.floats(0, 1), st.integers(1, 10_000))
def test_a_range_holds_what_it_is_around(share: float, kept: int) -> None:
    trust = Trust(factor=1.8, spread=0.04)
    low, high = precision_range(share, kept, trust)
    assert 0 <= low <= share + 1e-9
    assert share - 1e-9 <= high <= 1
    low, high = recall_range(share, kept, trust)
    assert 0 <= low <= share <= high <= 1


def test_few_pairs_make_a_wide_range() -> None:
    few, many = (precision_range(0.9, kept, Trust()) for kept in (20, 20_000))
    assert few.high - few.low > 5 * (many.high - many.low)
