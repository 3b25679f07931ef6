"""Margins and one-to-one matching, by examples small enough to work out by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from calque.neighbours import MARGINS, Margin, Matches, Retrieval, match, nearest
from calque.neighbours.margin import margin_score
from calque.neighbours.matching import best_neighbours, retrieve, score_candidates


def floats(*values: float) -> Any:
    return np.array(values, np.float32)


def pairs(matches: Matches) -> list[tuple[int, int]]:
    return list(zip(matches.source.tolist(), matches.target.tolist(), strict=True))


@pytest.mark.parametrize(("margin", "score"), [("ratio", 1.5), ("distance", 0.25), ("absolute", 0.75)])
def test_a_cosine_of_three_quarters_where_one_half_is_usual(margin: Margin, score: float) -> None:
    assert margin_score(floats(0.75), floats(0.75), floats(0.25), margin).tolist() == [score]


@pytest.mark.parametrize("usual", [0.0, -0.5])
def test_where_neighbours_are_no_better_than_unrelated_the_ratio_is_zero(usual: float) -> None:
    assert margin_score(floats(0.75), floats(usual), floats(usual), "ratio").tolist() == [0]


def test_one_cosine_a_row_is_judged_by_all_columns() -> None:
    cosine = np.array([[0.5, 0.25], [0.5, 1]], np.float32)
    score = margin_score(cosine, floats(0.5, 1)[:, None], floats(0.5, 0)[None], "ratio")
    np.testing.assert_allclose(score, [[1, 1], [2 / 3, 2]], rtol=1e-6)


# Cosines of a hub (target 0, close to every source) and of a quiet true translation of source 1:
#              target 0   target 1
#   source 0     1.0        0.0
#   source 1     0.8        0.6
HUB = (np.array([[1, 0], [0.8, 0.6]], np.float32), np.eye(2, dtype=np.float32))


def test_the_hub_is_scored_by_its_neighbourhood() -> None:
    found = nearest(*HUB, k=2)
    assert found.forward.mean.tolist() == pytest.approx([0.5, 0.7])
    assert found.backward.mean.tolist() == pytest.approx([0.9, 0.3])
    # Source 1: 0.8 / ((0.7 + 0.9) / 2) = 1 with the hub, 0.6 / ((0.7 + 0.3) / 2) = 1.2 with its translation.
    by_ratio, by_cosine = best_neighbours(found, "ratio"), best_neighbours(found, "absolute")
    assert pairs(by_cosine) == [(0, 0), (1, 0)]
    assert pairs(by_ratio) == [(0, 0), (1, 1)]
    assert by_ratio.score.tolist() == pytest.approx([1 / 0.7, 1.2])
    assert by_cosine.score.tolist() == pytest.approx([1, 0.8])
    by_distance = best_neighbours(found, "distance")
    assert pairs(by_distance) == [(0, 0), (1, 1)]
    assert by_distance.score.tolist() == pytest.approx([0.3, 0.1])


def test_a_hub_takes_a_true_pair_apart_by_cosine_but_not_by_ratio() -> None:
    # Target 0 is at 0.8 from both sources and translates neither; targets 1 and 2, at 0.6, do.
    source = np.array([[0.8, 0.6, 0], [0.8, 0, 0.6]], np.float32)
    target = np.eye(3, dtype=np.float32)
    assert pairs(match(source, target, margin="absolute", k=2)) == [(0, 0), (1, 2)]
    by_ratio = match(source, target, margin="ratio", k=2)
    assert pairs(by_ratio) == [(0, 1), (1, 2)]
    assert by_ratio.score.tolist() == pytest.approx([0.6 / ((0.7 + 0.3) / 2)] * 2)


def test_the_best_pair_goes_first_and_each_sentence_once() -> None:
    # Source 0 is nearest to target 0 (0.9), which source 1 is nearer to (1.0): source 0 gets what wants it back.
    source = np.array([[0.9, np.sqrt(0.19)], [1, 0]], np.float32)
    target = np.array([[1, 0], [0.6, 0.8]], np.float32)
    found = match(source, target, margin="absolute", k=2)
    assert pairs(found) == [(1, 0), (0, 1)]
    assert found.score.tolist() == pytest.approx([1, 0.54 + 0.8 * np.sqrt(0.19)])
    assert len(found) == 2


def test_a_sentence_whose_candidates_are_all_taken_goes_without() -> None:
    source = np.array([[0.8, 0.6], [1, 0], [0.6, 0.8]], np.float32)
    assert pairs(match(source, np.array([[1, 0]], np.float32), margin="absolute")) == [(1, 0)]


def test_of_equals_the_smaller_source_then_the_smaller_target_goes_first() -> None:
    same = np.repeat(np.eye(1, 4, dtype=np.float32), 3, axis=0)
    assert pairs(match(same, same[:2], margin="absolute", k=2)) == [(0, 0)]
    apart = np.eye(4, dtype=np.float32)
    assert pairs(match(apart[[2, 0, 1]], apart[:3], margin="absolute")) == [(0, 2), (1, 0), (2, 1)]


@pytest.mark.parametrize("margin", MARGINS)
@pytest.mark.parametrize(("sources", "targets"), [(0, 0), (0, 3), (3, 0)])
def test_no_sentences_make_no_pairs(sources: int, targets: int, margin: Margin) -> None:
    assert len(match(np.ones((sources, 4), np.float32), np.ones((targets, 4), np.float32), margin=margin)) == 0


@pytest.mark.parametrize("margin", MARGINS)
def test_zero_vectors_make_no_trouble(margin: Margin) -> None:
    source, target = np.zeros((2, 4), np.float32), np.eye(2, 4, dtype=np.float32)
    found = match(source, target, margin=margin)
    assert np.isfinite(found.score).all()
    assert pairs(match(np.vstack([source, target]), target, margin=margin))[:2] == [(2, 0), (3, 1)]


@pytest.mark.parametrize("margin", MARGINS)
def test_fewer_targets_than_neighbours_asked_for_are_all_judged(margin: Margin) -> None:
    vectors = np.eye(3, 16, dtype=np.float32)
    assert pairs(match(vectors, vectors[::-1].copy(), margin=margin, k=50)) == [(0, 2), (1, 1), (2, 0)]


@given(
    sources=st.integers(0, 30),
    targets=st.integers(0, 30),
    margin=st.sampled_from(MARGINS),
    k=st.integers(1, 6),
    seed=st.integers(0, 1 << 20),
)
@settings(max_examples=150)
def test_matching_is_one_to_one_and_best_first(sources: int, targets: int, margin: Margin, k: int, seed: int) -> None:
    draw = np.random.default_rng(seed)
    source, target = (draw.integers(-1, 2, (count, 6)).astype(np.float32) / 8 for count in (sources, targets))
    found = match(source, target, margin=margin, k=k)
    assert len(set(found.source.tolist())) == len(set(found.target.tolist())) == len(found)
    assert (np.diff(found.score) <= 0).all()
    assert bool(len(found)) == bool(sources and targets)
    candidates = candidates_by_hand(source, target, margin, k)
    assert pairs(found) == taken_greedily(candidates)


def candidates_by_hand(source: Any, target: Any, margin: Margin, k: int) -> list[tuple[float, int, int]]:
    """(−score, source, target) of each sentence's best neighbour, from the definitions alone."""
    cosines = source @ target.T

    def near(row: Any) -> list[int]:
        return sorted(range(len(row)), key=lambda at: (-row[at], at))[:k]

    if not cosines.size:
        return []
    means = [np.float32(np.mean(row[near(row)])) for row in cosines]
    other_means = [np.float32(np.mean(row[near(row)])) for row in cosines.T]

    def score(one: int, two: int) -> float:
        expected = (means[one] + other_means[two]) / 2
        if margin == "absolute":
            return float(cosines[one, two])
        if margin == "distance":
            return float(cosines[one, two] - expected)
        return float(cosines[one, two] / expected) if expected > 0 else 0.0

    def best(choices: list[tuple[int, int]]) -> tuple[int, int]:
        return max(choices, key=lambda pair: score(*pair))

    forward = [best([(one, two) for two in near(row)]) for one, row in enumerate(cosines)]
    backward = [best([(one, two) for one in near(row)]) for two, row in enumerate(cosines.T)]
    return sorted((-score(*pair), *pair) for pair in forward + backward)


def taken_greedily(candidates: list[tuple[float, int, int]]) -> list[tuple[int, int]]:
    taken: list[tuple[int, int]] = []
    for _, one, two in candidates:
        if all(one != other and two != another for other, another in taken):
            taken.append((one, two))
    return taken


# Cosines:     target 0   target 1   target 2
#   source 0     0.8        0.6        0.0
#   source 1     0.8        0.0        0.6
SHARED = (np.array([[0.8, 0.6, 0], [0.8, 0, 0.6]], np.float32), np.eye(3, dtype=np.float32))


@pytest.mark.parametrize(
    ("retrieval", "expected"),
    [
        ("forward", [(0, 0), (1, 0)]),
        ("backward", [(0, 0), (0, 1), (1, 2)]),
        ("intersect", [(0, 0)]),
        ("max", [(0, 0), (1, 2)]),
    ],
)
def test_retrieval_says_who_may_be_in_several_pairs(retrieval: Retrieval, expected: list[tuple[int, int]]) -> None:
    candidates = score_candidates(nearest(*SHARED, k=3), "absolute")
    assert pairs(retrieve(candidates, retrieval)) == expected


def test_pairs_that_are_taken_out_make_room_for_the_next_best() -> None:
    candidates = score_candidates(nearest(*SHARED, k=3), "absolute")
    second = candidates.without(retrieve(candidates, "max"))
    assert pairs(retrieve(second, "max")) == [(1, 0), (0, 1)]


def test_pairs_of_one_identity_are_no_candidates() -> None:
    candidates = score_candidates(nearest(*SHARED, k=3), "absolute")
    ids = [np.array(each, np.uint64) for each in ([7, 8], [7, 7, 9])]
    assert pairs(retrieve(candidates.without_same(*ids), "max")) == [(1, 0), (0, 2)]


def test_the_mean_can_be_made_of_fewer_neighbours_than_are_candidates() -> None:
    found = nearest(*SHARED, k=3)
    by_one = score_candidates(found, "distance", 1)
    # Source 1 and target 2: 0.6 − (0.8 + 0.6) / 2.
    assert by_one.backward_score[2, 0] == pytest.approx(-0.1)
    assert by_one.forward_index.shape == (2, 3)
