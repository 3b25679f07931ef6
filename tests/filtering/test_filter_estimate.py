"""How many wrong pairs there are, told from how wrong ones score; and the threshold that follows."""

from __future__ import annotations

import numpy as np
import pytest

from calque.corpus import Pair
from calque.demo import sentences
from calque.filtering import Cosine, Margin, estimate
from calque.filtering.negatives import halved, shuffled
from calque.filtering.shares import mixture, shares_of
from calque.model import Model

PAIRS = [Pair(*pair) for pair in zip(sentences()["en"], sentences()["es"], strict=True)]
RANDOM = np.random.default_rng(1)


def normal(mean: float, count: int) -> np.ndarray:  # type: ignore[type-arg]
    return RANDOM.normal(mean, 0.1, count).astype(np.float32)


def test_weights_of_a_mixture_are_found() -> None:
    observed = np.concatenate([normal(0.0, 3000), normal(0.2, 1000), normal(0.6, 6000)])
    found = mixture(observed, [normal(0.0, 4000), normal(0.2, 4000), normal(0.6, 4000)])
    assert found == pytest.approx([0.3, 0.1, 0.6], abs=0.02)
    assert found.sum() == pytest.approx(1)


@pytest.mark.parametrize(("unrelated", "halved"), [(0.3, 0.1), (0.0, 0.0), (0.7, 0.0), (0.0, 0.3), (0.95, 0.0)])
def test_shares_of_wrong_pairs_are_found_without_knowing_any_right_one(unrelated: float, halved: float) -> None:
    counts = (round(10_000 * unrelated), round(10_000 * halved), round(10_000 * (1 - unrelated - halved)))
    observed = np.concatenate([normal(mean, count) for mean, count in zip((0.0, 0.3, 0.9), counts, strict=True)])
    found = shares_of([normal(0.0, 4000), normal(0.3, 4000)], observed)
    assert found == pytest.approx([unrelated, halved], abs=0.03)


def test_if_all_are_wrong_hardly_any_seem_right() -> None:
    wrong = [normal(0.0, 4000), normal(0.3, 4000)]
    assert shares_of(wrong, normal(0.0, 6000)).sum() > 0.95
    assert shares_of(wrong, np.zeros(100, np.float32)).sum() == pytest.approx(1)


def test_right_pairs_that_score_lower_than_usual_are_not_taken_for_wrong_ones() -> None:
    skewed = 0.9 - np.where(RANDOM.random(10_000) < 0.6, 1.5, 1.0) * np.abs(normal(0, 10_000))
    skewed = np.concatenate([skewed, 0.9 + np.abs(normal(0, 7_000))]).astype(np.float32)
    assert shares_of([normal(0.3, 4000)], skewed) == pytest.approx([0], abs=0.03)


def test_known_right_pairs_tell_what_overlaps_apart() -> None:
    observed = np.concatenate([normal(0.0, 2000), normal(0.2, 8000)])
    assert shares_of([normal(0.0, 4000)], observed, normal(0.2, 4000)) == pytest.approx([0.2], abs=0.03)


def test_wrong_pairs_are_made_of_right_ones() -> None:
    pairs = [Pair("a b", "A B"), Pair("c d", "C D"), Pair("e f", "E F"), Pair("g h", "G H")]
    assert shuffled(pairs)[0] == ("a b", "C D")
    assert shuffled(pairs)[-1] == ("g h", "A B")
    assert halved(pairs) == [("a", "A B"), ("c d", "C"), (" f", "E F"), ("g h", " H")]


@pytest.mark.parametrize("score", ["margin", "cosine"])
def test_an_estimate_comes_near_the_truth(fluent_model: Model, score: str) -> None:
    wrong = 200
    pairs = [*shuffled(PAIRS[:wrong]), *PAIRS[wrong:]]
    judged = Margin(fluent_model, pairs) if score == "margin" else Cosine(fluent_model)
    scores = judged.score(pairs)
    found = estimate(judged, scores, pairs, PAIRS[:300])
    assert found is not None
    assert found.shares["unrelated"] == pytest.approx(wrong / len(pairs), abs=0.05)
    best = found.calibration.best()
    kept = scores >= best.threshold
    assert kept[wrong:].sum() / kept.sum() == pytest.approx(best.precision, abs=0.05)
    assert kept[wrong:].mean() > 0.9
    assert ("halved" in found.shares) == (score == "margin")


def test_too_few_pairs_say_nothing(fluent_model: Model) -> None:
    score = Cosine(fluent_model)
    assert estimate(score, score.score(PAIRS[:199]), PAIRS[:199]) is None
    assert estimate(score, score.score(PAIRS), PAIRS, PAIRS[:199]) is None
