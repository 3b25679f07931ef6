"""Floors on real scores: the paper's untrained encoder on STS 2017, and what little training adds."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import pytest

import calque
from calque.corpus import read_lines
from calque.evaluation.evaluate import Evaluation, differences, evaluate, evaluate_all

pytestmark = pytest.mark.data


@pytest.fixture(scope="module")
def untrained(real_data: Path) -> Evaluation:
    return evaluate("random-sp", "sts17", real_data / "eval" / "sts17", resamples=0)


@pytest.mark.parametrize(("track", "near"), [("track5.en-en", 67), ("track3.es-es", 69)])
def test_an_untrained_encoder_scores_as_lexical_overlap_does(untrained: Evaluation, track: str, near: float) -> None:
    assert untrained[track].values["pearson"] == pytest.approx(near, abs=6)
    assert untrained[track].n == 250


def test_an_untrained_encoder_knows_nothing_across_languages(untrained: Evaluation) -> None:
    for track in ("track4a.es-en", "track4b.es-en"):
        assert abs(untrained[track].values["pearson"]) < 30


@pytest.fixture(scope="module")
def trained(real_data: Path, tmp_path_factory: pytest.TempPathFactory) -> calque.Model:
    folder = tmp_path_factory.mktemp("tatoeba-en-es")
    lines = islice(read_lines(real_data / "bitext" / "tatoeba.en-es.tsv.xz"), 20_000)
    (folder / "tatoeba.en-es.tsv").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    options = {"vocabulary_size": 8000, "dimension": 128, "epochs": 4, "seed": 1}
    return calque.train(folder / "tatoeba.en-es.tsv", folder / "model", **options)


def test_a_little_training_is_surely_better(trained: calque.Model, real_data: Path) -> None:
    data = real_data / "eval" / "sts17"
    first, second = evaluate_all(["random-sp", trained], "sts17", data, only=["es-en", "es-es", "en-en"])
    assert second["track4a.es-en"].values["pearson"] > 40
    found = differences(first, second)
    for name in ("sts17:track4a.es-en", "sts17:mean"):
        assert found[name].low > 0
        assert found[name].p < 0.01


def test_translations_are_retrieved(trained: calque.Model, real_data: Path) -> None:
    found = evaluate(trained, "tatoeba", real_data / "eval" / "tatoeba", only=["spa"], resamples=100)
    accuracy = found["spa-eng"].values
    assert accuracy["accuracy"] > 50
    assert accuracy["margin_accuracy"] > accuracy["accuracy"] - 3
