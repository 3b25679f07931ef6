"""Precision and recall that nobody told: estimated from the text, and from known pairs, against the truth."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest

from calque.errors import CorpusError
from calque.mining.estimate import estimate
from calque.mining.known_pairs import score_known
from calque.neighbours import Margin
from calque.neighbours.matching import Candidates, retrieve, score_candidates
from calque.neighbours.nearest import BothWays, nearest

DIMENSION = 48


class Text(NamedTuple):
    source: Any
    target: Any
    right: int  # source i translates target i, for the first so many


def unit(vectors: Any) -> Any:
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


def translated(count: int, draw: np.random.Generator) -> tuple[Any, Any]:
    """Pairs of vectors, some nearer than others, as translations are."""
    source = draw.standard_normal((count, DIMENSION))
    noise = draw.uniform(0.3, 1.1, (count, 1)) * draw.standard_normal((count, DIMENSION))
    return unit(source), unit(source + noise)


def text(right: int, others: int, seed: int = 0) -> Text:
    draw = np.random.default_rng(seed)
    source, target = translated(right, draw)
    alone = [unit(draw.standard_normal((others, DIMENSION))) for _ in range(2)]
    about_the_same = max(others // 60, 1)  # as in any text: related, and no translations
    noise = draw.uniform(0.9, 1.4, (about_the_same, 1)) * draw.standard_normal((about_the_same, DIMENSION))
    alone[1][-about_the_same:] = unit(alone[0][:about_the_same] + noise / np.sqrt(DIMENSION))
    return Text(np.vstack([source, alone[0]]), np.vstack([target, alone[1]]), right)


def among_short_sentences(right: int, others: int, noise: float, seed: int) -> Text:
    """Translations of long sentences among short ones, where one word in common already makes two alike."""
    draw = np.random.default_rng(seed)
    words = draw.standard_normal((4000, 128)) * np.linspace(0.15, 1, 4000)[:, None] ** 0.5  # frequent ones weigh less
    share = 1 / np.arange(1, 4001)

    def sentences(count: int, shortest: int, longest: int) -> Any:
        lengths = draw.integers(shortest, longest + 1, count)
        drawn = [draw.choice(4000, length, p=share / share.sum()) for length in lengths]
        return np.stack([words[each].mean(axis=0) * np.sqrt(len(each)) for each in drawn])

    def in_another_language(vectors: Any, noise: float) -> Any:
        return vectors + noise * vectors.std() * draw.standard_normal(vectors.shape)

    long, alone, foreign = sentences(right, 8, 20), sentences(others, 2, 6), sentences(others, 2, 6)
    source, target = np.vstack([long, alone]), in_another_language(long, noise)
    return Text(unit(source), unit(np.vstack([target, in_another_language(foreign, 0.7 * noise)])), right)


def candidates_of(made: Text) -> tuple[BothWays, Candidates]:
    found = nearest(made.source, made.target, 8)
    return found, score_candidates(found, "distance", 4)


def true_precision_and_recall(made: Text, candidates: Candidates, threshold: float) -> tuple[float, float]:
    matches = retrieve(candidates, "max")
    right = (matches.source == matches.target) & (matches.source < made.right)
    kept = matches.score >= threshold
    return float(right[kept].mean()), float(right[kept].sum() / made.right)


def best_f1(made: Text, candidates: Candidates) -> float:
    matches = retrieve(candidates, "max")
    right = (matches.source == matches.target) & (matches.source < made.right)
    return float((2 * np.cumsum(right) / (np.arange(1, len(right) + 1) + made.right)).max())


@pytest.mark.parametrize("margin", ["distance", "ratio"])
@pytest.mark.parametrize(("right", "others"), [(300, 4000), (1500, 3000), (3000, 300)])
def test_what_is_told_of_the_best_threshold_comes_true(right: int, others: int, margin: Margin) -> None:
    made = text(right, others)
    found = nearest(made.source, made.target, 8)
    candidates, judged = score_candidates(found, margin, 4), score_candidates(found, "distance", 4)
    calibration = estimate(candidates, judged)
    assert calibration is not None
    best = calibration.best()
    precision, recall = true_precision_and_recall(made, candidates, best.threshold)
    assert best.precision_range is not None
    assert best.precision_range.low <= precision <= best.precision_range.high
    if best.precision is not None:
        assert best.precision == pytest.approx(precision, abs=0.05)
    if best.recall is not None:
        assert best.recall == pytest.approx(recall, abs=0.12)
    f1 = 2 * precision * recall / (precision + recall)
    assert f1 > best_f1(made, candidates) - 0.02


@pytest.mark.parametrize("noise", [0.6, 0.9])
@pytest.mark.parametrize("seed", [0, 1])
def test_short_sentences_that_stand_out_by_a_word_are_not_taken_for_translations(noise: float, seed: int) -> None:
    made = among_short_sentences(400, 2500, noise, seed)
    _, candidates = candidates_of(made)
    calibration = estimate(candidates, candidates)
    assert calibration is not None
    best = calibration.best()
    precision, recall = true_precision_and_recall(made, candidates, best.threshold)
    assert best.precision is None  # it is too uncertain for a number
    assert best.precision_range is not None
    assert best.precision_range.low <= precision <= best.precision_range.high
    assert 2 * precision * recall / (precision + recall) > best_f1(made, candidates) - 0.08


def test_recall_counts_translations_that_never_become_candidates() -> None:
    made = text(2000, 1000)
    lost = np.random.default_rng(5).permutation(2000)[:600]
    target = made.target.copy()
    target[lost] = unit(np.random.default_rng(6).standard_normal((600, DIMENSION)))  # a tenth of these are candidates
    found = nearest(made.source, target, 8)
    candidates = score_candidates(found, "distance", 4)
    matches = retrieve(candidates, "max")
    right = (matches.source == matches.target) & (matches.source < made.right)
    calibration = estimate(candidates, candidates)
    assert calibration is not None
    best = calibration.best()
    if best.recall is not None:  # 600 look like sentences without a translation: nothing tells them apart
        existing = right[matches.score >= best.threshold].sum() / 1400
        assert best.recall == pytest.approx(existing, abs=0.08)


def test_where_right_and_wrong_score_alike_nothing_is_promised() -> None:
    draw = np.random.default_rng(3)
    source = draw.standard_normal((3000, DIMENSION))
    target = source + 2.2 * draw.standard_normal((3000, DIMENSION))  # cosines of 0.4, among neighbours of 0.45
    _, candidates = candidates_of(Text(unit(source), unit(target), 3000))
    calibration = estimate(candidates, candidates)
    assert calibration is not None
    best = calibration.best()
    assert best.kept > 0
    assert (best.precision, best.recall) == (None, None)
    assert "alike" in calibration.trust.doubt


def test_a_doubt_about_the_model_leaves_a_threshold_and_no_promise() -> None:
    _, candidates = candidates_of(text(1500, 3000))
    believed, doubted = estimate(candidates, candidates), estimate(candidates, candidates, "Thai is weak")
    assert believed is not None
    assert doubted is not None
    assert doubted.best().kept > 1000
    assert believed.best().precision is not None
    assert doubted.best().precision is None
    assert doubted.trust.doubt == "Thai is weak"


def test_where_there_are_no_translations_few_pairs_are_kept_and_hardly_any_believed() -> None:
    _, candidates = candidates_of(text(0, 4000))
    calibration = estimate(candidates, candidates)
    assert calibration is not None
    best = calibration.best()
    assert best.precision is None
    assert best.kept < len(retrieve(candidates, "max")) / 4
    assert calibration.kept[calibration.precision >= 0.9].max(initial=0) < 40


def test_few_pairs_say_nothing() -> None:
    few = candidates_of(text(20, 10))[1]
    assert estimate(few, few) is None


def test_known_pairs_are_scored_as_if_they_stood_in_the_text() -> None:
    made = text(400, 600)
    known = translated(50, np.random.default_rng(7))
    found, _ = candidates_of(made)
    scored = score_known(known, (made.source, made.target), found, "ratio", 4, threads=1)
    for at in range(5):
        one, two = known[0][at], known[1][at]
        alone = nearest(np.vstack([made.source, one]), np.vstack([made.target, two]), 8)
        for margin, scores in (("ratio", scored.score), ("distance", scored.distance)):
            matches = retrieve(score_candidates(alone, margin, 4), "max")  # type: ignore[arg-type]
            own = (matches.source == len(made.source)) & (matches.target == len(made.target))
            if margin == "ratio":
                assert own.sum() == np.isfinite(scores[at])
            if own.any():
                assert scores[at] == pytest.approx(float(matches.score[own][0]), abs=1e-5)


@pytest.mark.parametrize("margin", ["distance", "ratio"])
@pytest.mark.parametrize(("right", "others"), [(300, 4000), (1500, 3000)])
def test_known_pairs_tell_precision_and_recall(right: int, others: int, margin: Margin) -> None:
    made = text(right, others)
    known = translated(300, np.random.default_rng(8))
    found, judged = candidates_of(made)
    candidates = score_candidates(found, margin, 4)
    scored = score_known(known, (made.source, made.target), found, margin, 4, threads=1)
    calibration = estimate(candidates, judged, "a doubt that known pairs take away", scored)
    assert calibration is not None
    best = calibration.best()
    precision, recall = true_precision_and_recall(made, candidates, best.threshold)
    assert best.precision_range is not None
    assert best.precision_range.low <= precision <= best.precision_range.high
    if best.precision is not None:
        assert best.precision == pytest.approx(precision, abs=0.05)
    assert best.recall == pytest.approx(recall, abs=0.08)
    assert 2 * precision * recall / (precision + recall) > best_f1(made, candidates) - 0.03


def test_known_pairs_that_are_never_found_say_nothing_and_are_refused() -> None:
    made = text(100, 400)
    found, _ = candidates_of(made)
    draw = np.random.default_rng(9)
    strangers = unit(draw.standard_normal((30, DIMENSION))), unit(draw.standard_normal((30, DIMENSION)))
    with pytest.raises(CorpusError, match="of 30 known pairs"):
        score_known(strangers, (made.source, made.target), found, "distance", 4, threads=1)
