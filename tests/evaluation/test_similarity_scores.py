"""Correlation of cosines with human judgements, from chosen cosines."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from lookup import Lookup, at_cosine

from calque.evaluation.evaluate import Evaluation
from calque.evaluation.sets.sts import SimilaritySet
from calque.evaluation.similarity import measure_similarity
from calque.evaluation.suites import SUITES

COSINES = [1.0, 0.8, 0.3, -0.5, 0.3]
VECTORS = {"one": [1, 0]} | {f"at {cosine}": at_cosine(cosine) for cosine in COSINES}


def similarity_set(gold: Sequence[float], name: str = "set", group: str = "") -> SimilaritySet:
    second = [f"at {cosine}" for cosine in COSINES]
    return SimilaritySet(name, group, None, list(gold), ["one"] * len(second), second)


def test_pearson_and_spearman_of_known_cosines() -> None:
    gold = [5.0, 3.0, 2.0, 0.0, 2.5]
    found = measure_similarity(Lookup(VECTORS).subject, "sts:set", similarity_set(gold), 0)
    assert found.values["pearson"] == pytest.approx(100 * np.corrcoef(COSINES, gold)[0, 1], abs=1e-4)
    # Ranks 5 4 2.5 1 2.5 and 5 4 2 1 3.
    assert found.values["spearman"] == pytest.approx(100 * np.corrcoef([5, 4, 2.5, 1, 2.5], [5, 4, 2, 1, 3])[0, 1])
    assert (found.name, found.n, found.signature) == ("sts:set", 5, "sts:set|n:5|lookup")


def test_gold_that_is_a_straight_line_of_the_cosines_scores_100() -> None:
    gold = [2.5 * cosine + 2.5 for cosine in COSINES]
    found = measure_similarity(Lookup(VECTORS).subject, "sts:set", similarity_set(gold), 100)
    assert found.values["pearson"] == pytest.approx(100, abs=1e-6)
    assert found.values["spearman"] == pytest.approx(100)
    upside_down = similarity_set([-grade for grade in gold])
    assert measure_similarity(Lookup(VECTORS).subject, "x", upside_down, 0).values["spearman"] == pytest.approx(-100)


def test_the_length_of_vectors_does_not_matter() -> None:
    stretched = {text: [3e4 * number for number in vector] for text, vector in VECTORS.items()} | {"one": [1e-4, 0]}
    gold = [5.0, 3.0, 2.0, 0.0, 2.5]
    one, two = (measure_similarity(Lookup(v).subject, "x", similarity_set(gold), 0) for v in (VECTORS, stretched))
    assert one.values == pytest.approx(two.values, abs=1e-4)


def test_sentences_of_unknown_pieces_have_cosine_zero_with_all() -> None:
    zeros = {text: [0.0, 0.0] for text in VECTORS}
    found = measure_similarity(Lookup(zeros).subject, "x", similarity_set([5, 4, 3, 2, 1]), 50)
    assert found.values == {"pearson": 0, "spearman": 0}
    assert found.intervals == {"pearson": (0, 0), "spearman": (0, 0)}
    some = measure_similarity(Lookup(VECTORS | {"at 0.3": [0, 0]}).subject, "x", similarity_set([5, 4, 2, 0, 2]), 0)
    assert some.values["pearson"] == pytest.approx(100 * np.corrcoef([1, 0.8, 0, -0.5, 0], [5, 4, 2, 0, 2])[0, 1])


@pytest.mark.parametrize("languages", [("es", "en"), ("en", "es"), None])
def test_each_side_is_encoded_in_its_language(languages: tuple[str, str] | None) -> None:
    lookup = Lookup({"perro": [1, 0], "dog": [1, 0], "gato": [0, 1], "cat": [0, 1]})
    pairs = SimilaritySet("pets", "", languages, [5, 1], ["perro", "gato"], ["dog", "cat"])
    measure_similarity(lookup.subject, "x", pairs, 0)
    one, two = languages or (None, None)
    assert lookup.asked == [(one, ["perro", "gato"]), (two, ["dog", "cat"])]


def evaluated(sets: Sequence[SimilaritySet]) -> Evaluation:
    told: list[str] = []
    measured = SUITES["sts"].measure("sts", Lookup(VECTORS).subject, sets, 30, told.append)
    assert told == [each.name for each in sets]
    return Evaluation("lookup", "sts", tuple(measured.results), tuple(measured.means))


GOLD = ([5, 3, 2, 0, 2], [1, 3, 2, 4, 2], [5, 1, 4, 0, 3])


def test_sets_are_averaged_by_year_and_over_all_and_pooled_by_year() -> None:
    named = zip(GOLD, ("2012.a", "2012.b", "2013.c"), ("2012", "2012", "2013"), strict=True)
    found = evaluated([similarity_set(gold, name, year) for gold, name, year in named])
    pooled = ["sts:2012:pooled", "sts:2013:pooled", "sts:mean:pooled"]
    assert [row.name for row in found.means] == [*pooled, "sts:2012", "sts:2013", "sts:mean"]
    scores = {name: found[name].values["pearson"] for name in ("2012.a", "2012.b", "2013.c", "2012", "2013", "mean")}
    assert scores["2012"] == pytest.approx((scores["2012.a"] + scores["2012.b"]) / 2)
    assert scores["2013"] == pytest.approx(scores["2013.c"])
    assert scores["mean"] == pytest.approx((scores["2012.a"] + scores["2012.b"] + scores["2013.c"]) / 3)
    assert found["mean"].n == 15
    assert len(found["mean"].replicates["spearman"]) == 30


def test_the_pooled_figure_is_the_correlation_over_all_pairs_of_a_year() -> None:
    """As MTEB has it: sets that agree with the cosines each by itself need not agree on one scale."""
    high, low = [5, 4, 3, 0, 3], [2, 1.6, 0.6, -1, 0.6]
    found = evaluated([similarity_set(high, "2012.a", "2012"), similarity_set(low, "2012.b", "2012")])
    expected = 100 * np.corrcoef([*COSINES, *COSINES], [*high, *low])[0, 1]
    pooled = found["2012:pooled"]
    assert pooled.values["pearson"] == pytest.approx(expected, abs=1e-4)
    assert expected < found["mean"].values["pearson"] - 20
    assert (pooled.n, pooled.signature) == (10, "sts:2012:pooled|n:10|lookup")
    low_end, high_end = pooled.intervals["pearson"]
    assert low_end < expected < high_end


def test_the_mean_of_pooled_years_counts_each_year_alike() -> None:
    named = zip(GOLD, ("2012.a", "2012.b", "2013.c"), ("2012", "2012", "2013"), strict=True)
    found = evaluated([similarity_set(gold, name, year) for gold, name, year in named])
    years = [found[f"{year}:pooled"].values["pearson"] for year in (2012, 2013)]
    assert found["mean:pooled"].values["pearson"] == pytest.approx(sum(years) / 2)
    assert found["mean:pooled"].intervals["pearson"][0] < found["mean:pooled"].intervals["pearson"][1]


def test_sets_are_encoded_once_for_both_figures() -> None:
    lookup = Lookup(VECTORS)
    sets = [similarity_set(gold, f"2012.{at}", "2012") for at, gold in enumerate(GOLD)]
    SUITES["sts"].measure("sts", lookup.subject, sets, 0, lambda name: None)
    assert len(lookup.asked) == 2 * len(sets)


def test_sets_of_one_year_have_one_mean() -> None:
    found = evaluated([similarity_set(gold, f"2012.{at}", "2012") for at, gold in enumerate(GOLD)])
    assert [row.name for row in found.means] == ["sts:2012:pooled", "sts:mean"]


def test_one_set_needs_no_mean() -> None:
    assert evaluated([similarity_set(GOLD[0], "2012.a", "2012")]).means == ()


def test_sets_without_a_year_are_in_the_mean_of_all_only() -> None:
    found = evaluated([similarity_set(GOLD[0], "2012.a", "2012"), similarity_set(GOLD[1], "mine")])
    assert [row.name for row in found.means] == ["sts:2012:pooled", "sts:2012", "sts:mean"]
