"""How many wrong pairs there are, told from how wrong ones score; and the threshold that follows."""

from __future__ import annotations

import numpy as np
import pytest

from calque.corpus import Pair
from calque.corpus.cleaning import choose_rules
from calque.demo import sentences
from calque.filtering import Cosine, Margin, estimate
from calque.filtering.calibration import SPOILT
from calque.filtering.evidence import Evidence, evidence_of
from calque.filtering.negatives import halved, shuffled
from calque.filtering.shares import Seen, shares_of
from calque.model import Model

PAIRS = [Pair(*pair) for pair in zip(sentences()["en"], sentences()["es"], strict=True)]
RANDOM = np.random.default_rng(1)


def scored(mean: float, count: int, longer: float = 0.0) -> Seen:
    """Pairs whose scores lie around `mean`, and whose targets are e^longer times as long as their sources."""
    return Seen(
        RANDOM.normal(mean, 0.1, count).astype(np.float32),
        RANDOM.normal(longer, 0.2, count) * RANDOM.choice([-1, 1], count),
    )


def joined(*parts: Seen) -> Seen:
    return Seen(*(np.concatenate(each) for each in zip(*parts, strict=True)))


UNRELATED = Seen(RANDOM.normal(0.0, 0.1, 4000).astype(np.float32), RANDOM.normal(0.0, 0.8, 4000))


@pytest.mark.parametrize(("unrelated", "halved"), [(0.3, 0.1), (0.0, 0.0), (0.7, 0.0), (0.0, 0.3), (0.9, 0.0)])
def test_shares_of_wrong_pairs_are_found_without_knowing_any_right_one(unrelated: float, halved: float) -> None:
    counts = (round(10_000 * unrelated), round(10_000 * halved), round(10_000 * (1 - unrelated - halved)))
    some = Seen(RANDOM.normal(0.0, 0.1, counts[0]), RANDOM.normal(0.0, 0.8, counts[0]))
    observed = joined(some, scored(0.3, counts[1], 0.69), scored(0.9, counts[2]))
    found = shares_of([UNRELATED, scored(0.3, 4000, 0.69)], observed)
    assert found == pytest.approx([unrelated, halved], abs=0.03)


@pytest.mark.parametrize("halved", [0.0, 0.1, 0.25])
def test_lengths_tell_halves_from_right_pairs_that_score_as_low(halved: float) -> None:
    few = round(10_000 * halved)
    observed = joined(scored(0.3, few, 0.69), scored(0.4, 10_000 - few))
    found = shares_of([UNRELATED, scored(0.3, 4000, 0.69)], observed)
    assert found == pytest.approx([0.0, halved], abs=0.06)


def test_if_all_are_wrong_most_are_said_to_be() -> None:
    wrong = [UNRELATED, scored(0.3, 4000, 0.69)]
    assert shares_of(wrong, Seen(np.zeros(100, np.float32), np.zeros(100))).sum() == pytest.approx(1)
    assert shares_of(wrong, Seen(UNRELATED.scores[:3000], UNRELATED.lengths[:3000])).sum() > 0.6


def test_right_pairs_that_score_lower_than_usual_are_not_taken_for_wrong_ones() -> None:
    below = 0.9 - np.where(RANDOM.random(10_000) < 0.6, 1.5, 1.0) * np.abs(RANDOM.normal(0, 0.1, 10_000))
    skewed = np.concatenate([below, 0.9 + np.abs(RANDOM.normal(0, 0.1, 7_000))])
    observed = Seen(skewed, RANDOM.normal(0, 0.2, len(skewed)))
    assert shares_of([scored(0.3, 4000, 0.69)], observed) == pytest.approx([0], abs=0.03)


def test_known_right_pairs_tell_what_overlaps_apart() -> None:
    wrong = Seen(RANDOM.normal(0.0, 0.1, 2000), RANDOM.normal(0.0, 0.8, 2000))
    observed = joined(wrong, scored(0.2, 8000))
    assert shares_of([UNRELATED], observed, scored(0.2, 4000)) == pytest.approx([0.2], abs=0.03)


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
    found = estimate(judged, scores, Evidence(pairs, []), PAIRS[:300])
    assert found is not None
    assert found.shares["unrelated"] == pytest.approx(wrong / len(pairs), abs=0.05)
    assert found.shares["halved"] < 0.05
    best = found.calibration.best()
    kept = scores >= best.threshold
    assert best.precision == pytest.approx(kept[wrong:].sum() / kept.sum(), abs=0.05)
    assert kept[wrong:].mean() > 0.9


def test_copies_that_the_rules_let_through_count_as_wrong(fluent_model: Model) -> None:
    copies = [Pair(pair.source, pair.source) for pair in PAIRS[:200]]
    pairs = [*copies, *PAIRS[200:]]
    none, usual = (choose_rules(preset, languages_known=False) for preset in ("none", "light"))
    evidence = evidence_of(pairs, none, usual, None)
    assert len(evidence.spoilt) == 200
    score = Margin(fluent_model, PAIRS)
    scores = score.score(pairs)
    found = estimate(score, scores, evidence)
    assert found is not None
    assert found.shares[SPOILT] == pytest.approx(200 / len(pairs))
    best = found.calibration.best()
    kept = scores >= best.threshold
    assert best.precision_range is not None
    assert best.precision_range.low <= kept[200:].sum() / kept.sum() <= best.precision_range.high
    assert best.precision is None, "the range is wide"
    cleaned = evidence_of(pairs, usual, usual, None)
    assert cleaned.spoilt == []
    assert not set(copies) & set(cleaned.pairs)


def test_too_few_pairs_say_nothing(fluent_model: Model) -> None:
    score = Cosine(fluent_model)
    few, all_of_them = Evidence(PAIRS[:199], []), Evidence(PAIRS, [])
    assert estimate(score, score.score(PAIRS[:199]), few) is None
    assert estimate(score, score.score(PAIRS), all_of_them, PAIRS[:199]) is None


def test_a_language_that_the_model_was_not_trained_on_leaves_a_threshold_and_no_promise(fluent_model: Model) -> None:
    score = Margin(fluent_model, PAIRS, languages=("en", "km"))
    found = estimate(score, score.score(PAIRS), Evidence(PAIRS, []))
    assert found is not None
    best = found.calibration.best()
    assert best.kept > 0
    assert (best.precision, best.recall) == (None, None)
    assert found.calibration.trust.doubt == "the model was not trained on km"


def test_a_corpus_that_is_shuffled_whole_has_no_right_pairs(fluent_model: Model) -> None:
    pairs = shuffled(PAIRS)
    score = Margin(fluent_model, pairs)
    found = estimate(score, score.score(pairs), Evidence(pairs, []))
    assert found is not None
    assert sum(found.shares.values()) == pytest.approx(1)
