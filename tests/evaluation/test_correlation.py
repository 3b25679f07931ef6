"""Pearson's and Spearman's correlation, of samples and of resamples, against SciPy's."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from calque.evaluation.correlation import (
    pearson,
    resampled_pearson,
    resampled_ranks,
    resampled_spearman,
    spearman,
)

scipy_stats = pytest.importorskip("scipy.stats")

# Grades that repeat, and numbers like cosines that do not.
VALUES = st.one_of(st.sampled_from([0.0, 0.5, 1.0, 2.5, 4.75, 5.0]), st.floats(-1, 1).map(lambda x: round(x, 9)))
SAMPLES = st.lists(st.tuples(VALUES, VALUES), min_size=2, max_size=40).map(lambda pairs: np.array(pairs).T)


def by_scipy(correlation: str, x: Any, y: Any) -> float:
    """SciPy's answer, with 0 where it has none because a side is constant."""
    if np.ptp(x) == 0 or np.ptp(y) == 0:
        return 0.0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # sides that are almost constant
        return float(getattr(scipy_stats, correlation)(x, y).statistic)


@given(sample=SAMPLES)
@settings(max_examples=200)
def test_pearson_and_spearman_are_scipys(sample: Any) -> None:
    x, y = sample
    assert pearson(x, y) == pytest.approx(by_scipy("pearsonr", x, y), abs=1e-6)
    assert spearman(x, y) == pytest.approx(by_scipy("spearmanr", x, y), abs=1e-12)


@given(sample=SAMPLES, resamples=st.integers(1, 4), seed=st.integers(0, 1 << 20))
@settings(max_examples=200)
def test_a_resample_scores_as_the_data_repeated_that_often(sample: Any, resamples: int, seed: int) -> None:
    x, y = sample
    n = len(x)
    drawn = np.random.default_rng(seed).integers(n, size=(resamples, n))
    counts = np.stack([np.bincount(row, minlength=n) for row in drawn]).astype(np.float64)
    pearsons, spearmans = resampled_pearson(x, y, counts), resampled_spearman(x, y, counts)
    ranks = resampled_ranks(x, counts)
    for at, count in enumerate(counts.astype(int)):
        repeated_x, repeated_y = np.repeat(x, count), np.repeat(y, count)
        # Values drawn all from far out, close together, leave a running sum fewer digits than SciPy's two passes.
        if np.var(repeated_x) > 1e-9 and np.var(repeated_y) > 1e-9:
            assert pearsons[at] == pytest.approx(by_scipy("pearsonr", repeated_x, repeated_y), abs=1e-6)
        assert spearmans[at] == pytest.approx(by_scipy("spearmanr", repeated_x, repeated_y), abs=1e-12)
        np.testing.assert_array_equal(np.repeat(ranks[at], count), scipy_stats.rankdata(repeated_x))


@pytest.mark.parametrize("n", [2, 3, 250, 5000])
def test_samples_of_any_size_agree_with_scipy(n: int) -> None:
    draw = np.random.default_rng(n)
    x = draw.standard_normal(n)
    y = np.round(2 * x + draw.standard_normal(n))  # as human grades: few values, many ties
    assert pearson(x, y) == pytest.approx(by_scipy("pearsonr", x, y), abs=1e-12)
    assert spearman(x, y) == pytest.approx(by_scipy("spearmanr", x, y), abs=1e-12)


@pytest.mark.parametrize("scale", [1e-320, 1e-200, 1e-30, 1e30, 1e200, 5e307])
@pytest.mark.parametrize("other", [1e-200, 1.0, 1e200])
def test_the_unit_of_measurement_does_not_matter(scale: float, other: float) -> None:
    x, y = np.array([1.0, 2.0, -3.0, 0.5]), np.array([2.0, 1.0, 0.0, 0.0])
    expected = by_scipy("pearsonr", x, y)
    tolerance = 1e-3 if scale < 1e-307 else 1e-9  # so small, numbers have few digits left
    assert pearson(scale * x, other * y) == pytest.approx(expected, abs=tolerance)
    assert pearson(other * y, scale * x) == pytest.approx(expected, abs=tolerance)
    assert spearman(scale * x, other * y) == pytest.approx(by_scipy("spearmanr", x, y))


def test_a_large_offset_does_not_matter() -> None:
    x, y = np.array([1.0, 2.0, 4.0, 3.0]), np.array([2.0, 1.0, 5.0, 0.0])
    assert pearson(x + 1e9, y - 1e6) == pytest.approx(by_scipy("pearsonr", x, y), abs=1e-9)


@pytest.mark.parametrize("constant", [0.0, 0.1, -0.7, 1 / 3, 1e300, 1e-300])
@pytest.mark.parametrize("n", [1, 2, 3, 7, 1000])
def test_a_side_that_is_constant_correlates_with_nothing(constant: float, n: int) -> None:
    x, y = np.full(n, constant), np.arange(n) ** 2
    assert (pearson(x, y), pearson(y, x), pearson(x, x)) == (0, 0, 0)
    assert (spearman(x, y), spearman(y, x), spearman(x, x)) == (0, 0, 0)


def test_a_resample_of_one_pair_over_and_over_scores_zero() -> None:
    x, y = np.array([0.1, 0.7, 0.30000001]), np.array([3.3, 2.2, 4.4])
    counts = 3 * np.eye(3)
    assert resampled_pearson(x, y, counts).tolist() == [0, 0, 0]
    assert resampled_spearman(x, y, counts).tolist() == [0, 0, 0]


@pytest.mark.parametrize("slope", [3.0, -3.0])
def test_a_straight_line_correlates_wholly_and_never_more_than_that(slope: float) -> None:
    x = np.random.default_rng(1).standard_normal(997)
    assert pearson(x, slope * x + 5) == pytest.approx(np.sign(slope), abs=1e-15)
    assert abs(pearson(x, slope * x + 5)) <= 1
    assert spearman(x, slope * x**3) == np.sign(slope)


def test_equal_values_share_the_mean_of_their_ranks() -> None:
    assert resampled_ranks(np.array([5.0, 1.0, 5.0, 9.0]), np.ones((1, 4))).tolist() == [[2.5, 1, 2.5, 4]]


@pytest.mark.parametrize(("x", "y"), [([], []), ([1, 2], [1]), ([[1, 2]], [[1, 2]])])
def test_lists_that_do_not_pair_up_are_refused(x: Any, y: Any) -> None:
    for correlation in (pearson, spearman):
        with pytest.raises(ValueError, match="expected two lists of one length"):
            correlation(x, y)
