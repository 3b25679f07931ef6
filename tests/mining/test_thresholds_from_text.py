"""Precision and recall that nobody told: estimated from the text, and from known pairs, against the truth."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest

from calque.errors import CorpusError
from calque.mining.known_pairs import calibrate_on_known, score_known
from calque.mining.wrong_pairs import calibrate_on_itself
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
    return Text(np.vstack([source, alone[0]]), np.vstack([target, alone[1]]), right)


def candidates_of(made: Text) -> tuple[BothWays, Candidates]:
    found = nearest(made.source, made.target, 8)
    return found, score_candidates(found, "ratio", 4)


def true_precision_and_recall(made: Text, candidates: Candidates, threshold: float) -> tuple[float, float]:
    matches = retrieve(candidates, "max")
    right = (matches.source == matches.target) & (matches.source < made.right)
    kept = matches.score >= threshold
    return float(right[kept].mean()), float(right[kept].sum() / made.right)


def best_f1(made: Text, candidates: Candidates) -> float:
    matches = retrieve(candidates, "max")
    right = (matches.source == matches.target) & (matches.source < made.right)
    return float((2 * np.cumsum(right) / (np.arange(1, len(right) + 1) + made.right)).max())


@pytest.mark.parametrize(("right", "others"), [(300, 4000), (1500, 3000), (3000, 300)])
def test_what_is_expected_of_the_best_threshold_comes_true(right: int, others: int) -> None:
    made = text(right, others)
    _, candidates = candidates_of(made)
    calibration = calibrate_on_itself(candidates)
    assert calibration is not None
    best = calibration.best()
    precision, recall = true_precision_and_recall(made, candidates, best.threshold)
    assert best.precision == pytest.approx(precision, abs=0.06)
    assert best.recall == pytest.approx(recall, abs=0.12)
    f1 = 2 * precision * recall / (precision + recall)
    assert f1 > best_f1(made, candidates) - 0.02


def test_where_there_are_no_translations_hardly_anything_is_believed() -> None:
    _, candidates = candidates_of(text(0, 4000))
    calibration = calibrate_on_itself(candidates)
    assert calibration is not None
    assert calibration.best().kept < 40  # of some thousand
    assert calibration.kept[calibration.precision >= 0.9].max(initial=0) < 10


def test_few_pairs_say_nothing() -> None:
    assert calibrate_on_itself(candidates_of(text(20, 10))[1]) is None


def test_known_pairs_are_scored_as_if_they_stood_in_the_text() -> None:
    made = text(400, 600)
    known = translated(50, np.random.default_rng(7))
    found, _ = candidates_of(made)
    scores = score_known(known, (made.source, made.target), found, "ratio", 4, threads=1)
    for at in range(5):
        one, two = known[0][at], known[1][at]
        alone = nearest(np.vstack([made.source, one]), np.vstack([made.target, two]), 8)
        matches = retrieve(score_candidates(alone, "ratio", 4), "max")
        own = (matches.source == len(made.source)) & (matches.target == len(made.target))
        assert own.sum() == np.isfinite(scores[at])
        if own.any():
            assert scores[at] == pytest.approx(float(matches.score[own][0]), abs=1e-5)


@pytest.mark.parametrize(("right", "others"), [(300, 4000), (1500, 3000)])
def test_known_pairs_tell_precision_and_recall(right: int, others: int) -> None:
    made = text(right, others)
    known = translated(300, np.random.default_rng(8))
    found, candidates = candidates_of(made)
    scores = score_known(known, (made.source, made.target), found, "ratio", 4, threads=1)
    best = calibrate_on_known(candidates, scores).best()
    precision, recall = true_precision_and_recall(made, candidates, best.threshold)
    assert best.precision == pytest.approx(precision, abs=0.08)
    assert best.recall == pytest.approx(recall, abs=0.08)
    assert 2 * precision * recall / (precision + recall) > best_f1(made, candidates) - 0.03


def test_known_pairs_that_are_never_found_say_nothing_and_are_refused() -> None:
    _, candidates = candidates_of(text(100, 400))
    with pytest.raises(CorpusError, match="30 of 30 known pairs"):
        calibrate_on_known(candidates, np.full(30, -np.inf))
