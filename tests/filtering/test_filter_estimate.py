"""How many wrong pairs there are, told from how wrong ones score; and the threshold that follows."""

from __future__ import annotations

import numpy as np
import pytest

from calque.corpus import Pair
from calque.demo import sentences
from calque.filtering import Cosine, Margin, estimate
from calque.filtering.negatives import halved, shuffled
from calque.filtering.shares import mixture, shares_beside, shares_in_tail
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


def test_shares_of_wrong_pairs_show_in_the_lowest_scores() -> None:
    observed = np.concatenate([normal(0.0, 3000), normal(0.3, 1000), normal(0.9, 6000)])
    wrong = [normal(0.0, 4000), normal(0.3, 4000)]
    assert shares_in_tail(observed, wrong) == pytest.approx([0.3, 0.1], abs=0.02)
    assert shares_in_tail(normal(0.9, 6000), wrong) == pytest.approx([0, 0], abs=0.005)
    assert shares_in_tail(normal(0.0, 6000), wrong).sum() <= 1


def test_right_pairs_tell_what_overlaps_apart() -> None:
    observed = np.concatenate([normal(0.0, 2000), normal(0.2, 8000)])
    assert shares_beside(observed, [normal(0.0, 4000)], normal(0.2, 4000)) == pytest.approx([0.2], abs=0.03)


def test_wrong_pairs_are_made_of_right_ones() -> None:
    pairs = [Pair("a b", "A B"), Pair("c d", "C D"), Pair("e f", "E F"), Pair("g h", "G H")]
    assert shuffled(pairs)[0] == ("a b", "C D")
    assert shuffled(pairs)[-1] == ("g h", "A B")
    assert halved(pairs) == [("a", "A B"), ("c d", "C"), (" f", "E F"), ("g h", " H")]


@pytest.mark.parametrize("score", ["margin", "cosine"])
def test_an_estimate_comes_near_the_truth(able_model: Model, score: str) -> None:
    wrong = 200
    pairs = [*shuffled(PAIRS[:wrong]), *PAIRS[wrong:]]
    judged = Margin(able_model, pairs) if score == "margin" else Cosine(able_model)
    scores = judged.score(pairs)
    found = estimate(judged, scores, pairs, PAIRS[:300])
    assert found is not None
    assert found.shares["unrelated"] == pytest.approx(wrong / len(pairs), abs=0.05)
    best = found.calibration.best()
    kept = scores >= best.threshold
    assert kept[wrong:].sum() / kept.sum() == pytest.approx(best.precision, abs=0.05)
    assert kept[wrong:].mean() > 0.9
    assert ("halved" in found.shares) == (score == "margin")


def test_too_few_pairs_say_nothing(able_model: Model) -> None:
    score = Cosine(able_model)
    assert estimate(score, score.score(PAIRS[:199]), PAIRS[:199]) is None
    assert estimate(score, score.score(PAIRS), PAIRS, PAIRS[:199]) is None
