"""Mining F1: worked by hand, against plain sets, and the threshold against trying every one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lookup import Lookup

from calque.evaluation.evaluate import Evaluation, differences
from calque.evaluation.mining import (
    AUTOMATIC,
    CANNOT_TELL,
    ORACLE,
    Mined,
    Threshold,
    measure_mining,
    mine,
    precision_recall,
)
from calque.evaluation.result import Result
from calque.evaluation.sets.bucc import MiningSet
from calque.neighbours import Matches


def mining_set(sources: int, targets: int, gold: Iterable[tuple[int, int]], split: str = "sample") -> MiningSet:
    """Sentences `sample s0`, `sample s1`, … and `sample t0`, …, of which `gold` are translations."""
    return MiningSet(
        f"de-en.{split}",
        "de-en",
        split,
        ("de", "en"),
        [f"de-{at}" for at in range(sources)],
        [f"{split} s{at}" for at in range(sources)],
        [f"en-{at}" for at in range(targets)],
        [f"{split} t{at}" for at in range(targets)],
        frozenset((f"de-{one}", f"en-{two}") for one, two in gold),
    )


def paired_off(cosines: Sequence[float], split: str = "sample") -> dict[str, Any]:
    """Vectors of as many pairs: source i and target i at cosine i, all others at right angles."""
    vectors = {}
    for at, cosine in enumerate(cosines):
        source, target = np.zeros((2, 16))
        source[2 * at], target[2 * at], target[2 * at + 1] = 1, cosine, np.sqrt(1 - cosine**2)
        vectors |= {f"{split} s{at}": source, f"{split} t{at}": target}
    return vectors


def measured(vectors: dict[str, Any], *sets: MiningSet, resamples: int = 20) -> dict[str, Result]:
    """At the best threshold, by split and scoring: {"sample:cosine": …}."""
    results = measure_mining(Lookup(vectors).subject, "bucc", sets, resamples)
    return {row.name.removeprefix("bucc:de-en."): row for row in results if not row.name.endswith(":auto")}


def automatic(vectors: dict[str, Any], data: MiningSet, resamples: int = 20) -> dict[str, Result]:
    """At the automatic threshold, by scoring."""
    results = measure_mining(Lookup(vectors).subject, "bucc", [data], resamples)
    return {row.name.split(":")[2]: row for row in results if row.name.endswith(":auto")}


def scores(result: Result) -> tuple[float, float, float]:
    return result.values["precision"], result.values["recall"], result.values["f1"]


def test_precision_recall_and_f1_by_hand() -> None:
    # By cosine: 1 right, 0.875 wrong, 0.75 right, 0.5 wrong. Keeping three is best: 2 of 3 right, 2 of 2 found.
    found = measured(paired_off([1, 0.875, 0.75, 0.5]), mining_set(4, 4, [(0, 0), (2, 2)]))
    by_cosine = found["sample:cosine"]
    assert scores(by_cosine) == pytest.approx((200 / 3, 100, 80))
    assert by_cosine.notes == {"threshold": 0.75, "threshold_from": ORACLE, "gold": 2, "found": 3}
    assert (by_cosine.name, by_cosine.n) == ("bucc:de-en.sample:cosine", 4)
    assert by_cosine.signature == "bucc:de-en.sample:cosine|n:4|lookup"


def test_pairs_of_one_score_stand_and_fall_together() -> None:
    # Each cosine is four times its neighbours' mean, so by ratio all four pairs score alike: 2 right of 4, of 2.
    found = measured(paired_off([1, 0.875, 0.75, 0.5]), mining_set(4, 4, [(0, 0), (2, 2)]))
    by_ratio = found["sample:ratio"]
    assert scores(by_ratio) == pytest.approx((50, 100, 200 / 3))
    assert (by_ratio.notes["threshold"], by_ratio.notes["found"]) == (4, 4)


def test_everything_right() -> None:
    found = measured(paired_off([1, 0.75, 0.5]), mining_set(3, 3, [(0, 0), (1, 1), (2, 2)]))
    assert scores(found["sample:cosine"]) == (100, 100, 100)
    assert found["sample:cosine"].notes["threshold"] == 0.5
    assert found["sample:cosine"].intervals["f1"] == (100, 100)


def test_nothing_right_keeps_nothing() -> None:
    found = measured(paired_off([1, 0.75]), mining_set(2, 2, [(0, 1)]))
    for result in found.values():
        assert scores(result) == (0, 0, 0)
        assert result.notes["threshold"] is None
        assert result.notes["found"] == 0


def test_nothing_to_find() -> None:
    found = measured(paired_off([1, 0.75]), mining_set(2, 2, []))
    for result in found.values():
        assert scores(result) == (0, 0, 0)
        assert (result.notes["gold"], result.intervals) == (0, {})


def test_a_source_with_two_true_translations_can_have_one_of_them_found() -> None:
    vectors = paired_off([1, 0.75])
    found = measured(vectors, mining_set(2, 2, [(0, 0), (0, 1), (1, 1)]))
    assert scores(found["sample:cosine"]) == pytest.approx((100, 200 / 3, 80))


def test_sides_of_different_sizes_are_mined() -> None:
    vectors = paired_off([1, 0.75, 0.5])
    for sources, targets in ((1, 3), (3, 1)):
        found = measured(vectors, mining_set(sources, targets, [(0, 0)]))
        assert all(scores(result) == (100, 100, 100) for result in found.values())


def test_the_threshold_comes_from_the_training_split_where_there_is_one() -> None:
    training = mining_set(4, 4, [(0, 0), (2, 2)], split="training")  # best down to 0.75, as above
    sample = mining_set(4, 4, [(0, 0), (1, 1), (3, 3)])  # best down to 0.25
    vectors = paired_off([1, 0.875, 0.75, 0.5], "training") | paired_off([0.9375, 0.75, 0.5, 0.25])
    found = measured(vectors, sample, training)
    scorings = ("ratio", "distance", "cosine")
    assert list(found) == [f"{split}:{scoring}" for split in ("sample", "training") for scoring in scorings]
    assert found["training:cosine"].notes["threshold_from"] == ORACLE
    chosen = found["sample:cosine"]
    assert (chosen.notes["threshold"], chosen.notes["threshold_from"]) == (0.75, "de-en.training")
    assert scores(chosen) == pytest.approx((100, 200 / 3, 80))
    assert scores(measured(vectors, sample)["sample:cosine"]) == pytest.approx((75, 100, 600 / 7))


def test_the_training_split_of_another_pair_lends_no_threshold() -> None:
    other = mining_set(1, 1, [(0, 0)], split="training")
    french = MiningSet("fr-en.training", "fr-en", *(getattr(other, name) for name in list(other.__annotations__)[2:]))
    vectors = paired_off([1, 0.75]) | paired_off([0.5], "training")
    results = measure_mining(Lookup(vectors).subject, "bucc", [mining_set(2, 2, [(0, 0)]), french], 0)
    assert {row.notes["threshold_from"] for row in results if not row.name.endswith(":auto")} == {ORACLE}


def noisy_translations(pairs: int, others: int, seed: int = 1) -> tuple[dict[str, Any], MiningSet]:
    """Random directions: the first sentences of both sides are near each other, the rest are alone."""
    draw = np.random.default_rng(seed)
    shared = draw.standard_normal((pairs, 32))
    sides = [
        np.concatenate([shared + 0.35 * draw.standard_normal((pairs, 32)), draw.standard_normal((others, 32))])
        for _ in range(2)
    ]
    vectors = {f"sample {side}{at}": row for side, rows in zip("st", sides, strict=True) for at, row in enumerate(rows)}
    return vectors, mining_set(pairs + others, pairs + others, ((at, at) for at in range(pairs)))


def test_f1_at_the_automatic_threshold_stands_beside_the_best() -> None:
    vectors, data = noisy_translations(150, 150)
    best, found = measured(vectors, data), automatic(vectors, data)
    for scoring in ("ratio", "distance", "cosine"):
        row = found[scoring]
        assert row.name == f"bucc:de-en.sample:{scoring}:auto"
        assert row.notes["threshold_from"] == AUTOMATIC
        assert 60 < row.values["f1"] <= best[f"sample:{scoring}"].values["f1"]
        assert row.intervals["f1"].low <= row.values["f1"] <= row.intervals["f1"].high


def test_the_automatic_threshold_does_not_see_the_gold_pairs() -> None:
    vectors, data = noisy_translations(150, 150)
    blind = mining_set(300, 300, [(0, 1)])
    thresholds = [
        {name: row.notes["threshold"] for name, row in automatic(vectors, each).items()} for each in (data, blind)
    ]
    assert thresholds[0] == thresholds[1]
    assert automatic(vectors, blind)["ratio"].values["f1"] < 5


def test_an_automatic_threshold_that_cannot_be_told_has_no_score() -> None:
    row = automatic(paired_off([1, 0.875, 0.75, 0.5]), mining_set(4, 4, [(0, 0), (2, 2)]))["ratio"]
    assert (row.values, row.intervals, row.notes["threshold"]) == ({}, {}, None)
    assert row.notes["threshold_from"].startswith(f"{CANNOT_TELL}, 4 pairs are too few")
    assert "f1" not in row.as_dict()


def test_each_side_is_encoded_in_its_language() -> None:
    lookup = Lookup(paired_off([1]))
    mine(lookup.subject, mining_set(1, 1, [(0, 0)]))
    assert lookup.asked == [("de", ["sample s0"]), ("en", ["sample t0"])]


def test_the_ratio_finds_what_a_hub_hides_from_the_cosine() -> None:
    # Target 2 is at 0.8 from both sources and translates neither; targets 0 and 1, at 0.6, do.
    vectors = {"s0": [0.8, 0.6, 0], "s1": [0.8, 0, 0.6], "t0": [0, 1, 0], "t1": [0, 0, 1], "t2": [1, 0, 0]}
    vectors = {f"sample {name}": vector for name, vector in vectors.items()}
    found = measured(vectors, mining_set(2, 3, [(0, 0), (1, 1)]))
    assert scores(found["sample:ratio"]) == (100, 100, 100)
    assert scores(found["sample:cosine"]) == pytest.approx((50, 50, 50))


@pytest.mark.parametrize(
    ("numbers", "expected"),
    [((0, 0, 0), (0, 0, 0)), ((0, 3, 0), (0, 0, 0)), ((0, 0, 3), (0, 0, 0)), ((2, 4, 8), (0.5, 0.25, 1 / 3))],
)
def test_shares_of_nothing_are_zero(numbers: Any, expected: Any) -> None:
    assert precision_recall(*numbers) == pytest.approx(expected)


def candidates(score: Sequence[float], right: Sequence[bool], missed: int) -> Mined:
    places = np.arange(len(score))
    matches = Matches(places, places, np.array(score, np.float32))
    return Mined(matches, np.array(right, bool), sum(right) + missed, Threshold(None, CANNOT_TELL))


PAIRS = st.lists(st.tuples(st.integers(0, 12).map(lambda step: step / 8), st.booleans()), min_size=1, max_size=30)


@given(pairs=PAIRS, missed=st.integers(0, 10))
@settings(max_examples=300)
def test_no_threshold_is_better_than_the_best(pairs: list[tuple[float, bool]], missed: int) -> None:
    score, right = zip(*sorted(pairs, reverse=True), strict=True)
    mined = candidates(score, right, missed)

    def f1(threshold: float) -> float:
        kept = [is_right for one, is_right in pairs if one >= threshold]
        return precision_recall(sum(kept), len(kept), mined.gold).f1

    best = max(f1(threshold) for threshold in score)
    if any(right):
        assert mined.best_threshold() == max(threshold for threshold in score if f1(threshold) == best)
    else:
        assert mined.best_threshold() == float("inf")


def test_no_candidates_have_no_threshold() -> None:
    assert candidates([], [], 3).best_threshold() == float("inf")


@given(
    sources=st.integers(1, 12),
    targets=st.integers(1, 12),
    gold=st.sets(st.tuples(st.integers(0, 11), st.integers(0, 11)), min_size=1, max_size=12),
    seed=st.integers(0, 1 << 20),
)
@settings(max_examples=100)
def test_scores_are_those_of_plain_sets_of_pairs(
    sources: int, targets: int, gold: set[tuple[int, int]], seed: int
) -> None:
    data = mining_set(sources, targets, ((one % sources, two % targets) for one, two in gold))
    draw = np.random.default_rng(seed)
    lookup = Lookup({text: draw.standard_normal(4) for text in (*data.source, *data.target)})
    mined = mine(lookup.subject, data)
    results = measure_mining(lookup.subject, "bucc", [data], 0)[::2]
    for result, (scoring, candidate) in zip(results, mined.items(), strict=True):
        assert result.name == f"bucc:de-en.sample:{scoring}"
        threshold = candidate.best_threshold()
        found = {
            (data.source_ids[one], data.target_ids[two])
            for one, two, score in zip(*vars(candidate.matches).values(), strict=True)
            if score >= threshold
        }
        right = len(found & data.gold)
        precision, recall = right / len(found) if found else 0, right / len(data.gold)
        f1 = 2 * precision * recall / (precision + recall) if right else 0
        assert scores(result) == pytest.approx((100 * precision, 100 * recall, 100 * f1))


def test_models_that_find_different_pairs_are_compared_on_the_same_resamples() -> None:
    # Both find the same two of the three true pairs; one puts forward two wrong ones beside.
    gold = [(0, 0), (1, 1), (2, 5)]
    data = mining_set(8, 8, gold)
    careful = paired_off([1, 0.875, 0, 0, 0, 0, 0, 0])
    careless = paired_off([0.875, 0.75, 0, 1, 1, 0, 0, 0])
    one, two = (measured(vectors, data, resamples=200)["sample:cosine"] for vectors in (careful, careless))
    assert (one.notes["found"], two.notes["found"]) == (2, 4)
    np.testing.assert_array_equal(one.replicates["recall"], two.replicates["recall"])
    assert len(set(one.replicates["recall"].tolist())) > 5
    apart = differences(Evaluation("one", "bucc", (one,), ()), Evaluation("two", "bucc", (two,), ()))
    found = apart["bucc:de-en.sample:cosine"]
    assert found.value == pytest.approx(two.values["f1"] - one.values["f1"])
    assert found.high <= 0
