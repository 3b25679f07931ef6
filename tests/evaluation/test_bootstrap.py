"""Resamples that are the same for everybody, the intervals they give, and the paired test."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from calque.evaluation.bootstrap import difference, interval, replicate
from calque.evaluation.result import Result, mean_of


def mean_and_size(data: Any) -> Any:
    def statistic(counts: Any) -> dict[str, Any]:
        return {"mean": counts @ data / len(data), "size": counts.sum(axis=1)}

    return statistic


def means(data: Any, name: str = "set", resamples: int = 1000) -> Any:
    return replicate(mean_and_size(data), name, len(data), resamples)[1]["mean"]


def test_the_data_itself_is_measured_once_and_each_resample_has_its_size() -> None:
    values, replicates = replicate(mean_and_size(np.array([1.0, 2.0, 6.0])), "set", 3, 50)
    assert values == {"mean": 3, "size": 3}
    assert replicates["size"].tolist() == [3] * 50
    assert len(set(replicates["mean"].tolist())) > 5


def test_draws_depend_on_the_name_and_the_size_alone() -> None:
    data = np.random.default_rng(1).standard_normal(40)
    np.testing.assert_array_equal(means(data), means(data))
    assert not np.array_equal(means(data), means(data, name="another"))
    # Twice the data scores twice as high on every resample: the resamples are the same.
    np.testing.assert_allclose(means(2 * data), 2 * means(data))
    assert not np.array_equal(means(data[:39])[:10], means(data)[:10])


def test_fewer_resamples_are_the_first_of_more() -> None:
    data = np.random.default_rng(1).standard_normal(40)
    np.testing.assert_array_equal(means(data, resamples=100), means(data, resamples=1000)[:100])


def test_draws_that_come_in_several_parts_are_all_there() -> None:
    data = np.random.default_rng(1).standard_normal(1 << 17)  # 32 resamples at once
    found = means(data, resamples=70)
    assert len(set(found.tolist())) == 70
    np.testing.assert_allclose(found[:33], means(data, resamples=33))


def test_a_name_may_be_any_bytes() -> None:
    assert len(means(np.ones(3), name="caf\udce9")) == 1000


def test_without_resamples_there_is_a_value_and_no_interval() -> None:
    values, replicates = replicate(mean_and_size(np.array([1.0, 3.0])), "set", 2, 0)
    assert values["mean"] == 2
    assert interval(replicates["mean"]) is None
    assert difference(replicates["mean"], replicates["mean"], 0.0) is None


def test_intervals_cover_the_truth_about_19_times_of_20() -> None:
    draw = np.random.default_rng(7)
    covered = 0
    for experiment in range(300):
        found = interval(means(draw.normal(10, 3, size=80), name=f"experiment {experiment}", resamples=400))
        assert found is not None
        covered += found.low <= 10 <= found.high
    assert 0.91 * 300 < covered < 0.985 * 300


def test_an_interval_leaves_out_as_much_above_as_below() -> None:
    found = interval(np.arange(1001.0), confidence=0.9)
    assert found is not None
    assert tuple(found) == pytest.approx((50, 950))


def test_a_model_does_not_differ_from_itself() -> None:
    scores = means(np.random.default_rng(1).standard_normal(100))
    assert difference(scores, scores, 0.0) == (0, 0, 0, 1)


def test_a_small_steady_advantage_is_seen_through_large_common_noise() -> None:
    draw = np.random.default_rng(1)
    hard = 10 * draw.standard_normal(200)  # how hard each item is, for both
    one, two = means(hard), means(hard + 0.5 + 0.1 * draw.standard_normal(200))
    found = difference(one, two, 0.5)
    assert found is not None
    assert found.value == 0.5
    assert 0.4 < found.low < found.high < 0.6
    assert found.p == pytest.approx(2 / 1001)
    unpaired = interval(one)
    assert unpaired is not None
    assert unpaired.high - unpaired.low > 2  # either alone is not known so well


def test_the_test_is_the_same_seen_from_the_other_side() -> None:
    draw = np.random.default_rng(2)
    data = draw.standard_normal(50)
    one, two = means(data), means(data + 0.1 * draw.standard_normal(50))
    there, back = difference(one, two, 0.25), difference(two, one, -0.25)
    assert there is not None
    assert back is not None
    assert (there.value, there.p) == (-back.value, back.p)
    assert (there.low, there.high) == pytest.approx((-back.high, -back.low))


def test_where_there_is_no_difference_small_p_values_are_rare() -> None:
    draw = np.random.default_rng(3)
    small = 0
    for experiment in range(200):
        one, two = draw.standard_normal((2, 60))
        found = difference(means(one, f"{experiment}", 200), means(two, f"{experiment}", 200), 0.0)
        assert found is not None
        small += found.p < 0.05
    assert small < 24  # 10 expected


def test_replicates_that_are_not_of_one_kind_are_not_compared() -> None:
    assert difference(np.zeros(10), np.zeros(20), 0.0) is None


def test_a_mean_weighs_sets_alike_and_its_interval_comes_from_all_of_them() -> None:
    draw = np.random.default_rng(4)
    results = []
    for name, n in (("small", 20), ("large", 2000)):
        data = draw.standard_normal(n)
        results.append(Result(name, n, name, *replicate(mean_and_size(data), name, n, 500)))
    found = mean_of("suite:mean", results, lambda name, n: f"{name}|n:{n}")
    assert (found.name, found.n, found.signature, found.notes) == ("suite:mean", 2020, "suite:mean|n:2020", {"sets": 2})
    assert found.values["mean"] == pytest.approx((results[0].values["mean"] + results[1].values["mean"]) / 2)
    np.testing.assert_allclose(
        found.replicates["mean"], (results[0].replicates["mean"] + results[1].replicates["mean"]) / 2
    )
    small, both = results[0].interval("mean"), found.interval("mean")
    assert small is not None
    assert both is not None
    assert (both.high - both.low) == pytest.approx((small.high - small.low) / 2, rel=0.2)
