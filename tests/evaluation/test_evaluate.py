"""A suite on a folder, a model in: what comes out, and in which shape scripts get it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import calque
from calque.corpus import read_scored_pairs
from calque.errors import UsageError
from calque.evaluation.evaluate import differences, evaluate, evaluate_all
from calque.evaluation.mining import CANNOT_TELL
from calque.evaluation.suites import SUITES


def shape(described: dict[str, Any]) -> dict[str, Any]:
    """Through JSON and back, which must leave it as it is."""
    again: dict[str, Any] = json.loads(json.dumps(described, allow_nan=False))
    assert again == described
    return again


def test_similarity_in_the_shape_that_scripts_rely_on(small_model: calque.Model, sts17: Path) -> None:
    found = shape(evaluate(small_model, "sts17", sts17, resamples=50).as_dict())
    assert list(found) == ["model", "suite", "results", "means"]
    assert (found["model"], found["suite"]) == (str(small_model.path), "sts17")
    assert [row["name"] for row in found["results"]] == ["sts17:track4a.es-en", "sts17:track5.en-en"]
    assert [row["name"] for row in found["means"]] == ["sts17:mean"]
    for row in found["results"]:
        assert list(row) == ["name", "n", "signature", "pearson", "spearman", "intervals"]
        assert row["n"] == 600
        assert row["signature"] == small_model.signature(row["name"], 600)
        assert 1 < row["pearson"] <= 100
        low, high = row["intervals"]["pearson"]
        assert low <= row["pearson"] <= high


def test_mining_in_the_shape_that_scripts_rely_on(small_model: calque.Model, bucc: Path) -> None:
    found = shape(evaluate(small_model, "bucc", bucc, resamples=20).as_dict())
    assert list(found) == ["model", "suite", "results"]
    scorings = ("ratio", "distance", "cosine")
    names = [f"bucc:de-en.{split}:{scoring}" for split in ("sample", "training") for scoring in scorings]
    assert [row["name"] for row in found["results"]] == [row for name in names for row in (name, f"{name}:auto")]
    for row in found["results"]:
        assert {"name", "n", "signature", "threshold", "threshold_from", "gold"} <= set(row)
        if row["name"].endswith(":auto") and row["threshold"] is None:
            continue  # so little text that no threshold can be told
        assert {"name", "n", "signature", "precision", "recall", "f1", "threshold", "threshold_from"} <= set(row)
        assert (row["n"], row["gold"]) == (80, 40)
        assert 10 < row["f1"] <= 100
        assert row["f1"] == pytest.approx(
            2 * row["precision"] * row["recall"] / (row["precision"] + row["recall"]), abs=0.02
        )
    assert {row["threshold_from"] for row in found["results"][:6:2]} == {"de-en.training"}


def test_retrieval_in_the_shape_that_scripts_rely_on(small_model: calque.Model, tatoeba: Path) -> None:
    found = shape(evaluate(small_model, "tatoeba", tatoeba, resamples=20).as_dict())
    assert [row["name"] for row in found["results"]] == ["tatoeba:deu-eng", "tatoeba:spa-eng"]
    for row in found["results"]:
        assert {"name", "n", "signature", "accuracy", "forward", "backward", "margin_accuracy"} <= set(row)
        assert row["accuracy"] == pytest.approx((row["forward"] + row["backward"]) / 2, abs=0.02)
        assert 10 < row["accuracy"] <= 100


def test_speed_in_the_shape_that_scripts_rely_on(small_model: calque.Model, sts17: Path) -> None:
    found = shape(evaluate(small_model, "speed", sts17).as_dict())
    assert [row["name"] for row in found["results"]] == ["speed:encode"]
    assert found["results"][0]["n"] == 1200
    assert found["results"][0]["sentences_per_second"] > 0


def test_a_score_is_that_of_the_models_own_similarities(small_model: calque.Model, sts17: Path) -> None:
    pairs = read_scored_pairs(sts17 / "track5.en-en.tsv")
    cosines = small_model.similarities([pair.first for pair in pairs], [pair.second for pair in pairs])
    expected = 100 * np.corrcoef(cosines, [pair.score for pair in pairs])[0, 1]
    found = calque.evaluate(small_model.path, "sts17", sts17, resamples=0)
    assert found["track5.en-en"].values["pearson"] == pytest.approx(expected, abs=1e-3)


def test_results_are_found_by_either_name(small_model: calque.Model, sts17: Path) -> None:
    found = evaluate(small_model, "sts17", sts17, resamples=0)
    assert found["track5.en-en"] is found["sts17:track5.en-en"] is found.results[1]
    assert found["mean"] is found["sts17:mean"] is found.means[0]
    assert found.rows == (*found.results, *found.means)
    with pytest.raises(KeyError):
        found["track6.tr-en"]


def test_without_resamples_there_are_no_intervals(small_model: calque.Model, sts17: Path) -> None:
    found = evaluate(small_model, "sts17", sts17, resamples=0)
    assert all("intervals" not in row for row in found.as_dict()["results"])
    assert found["mean"].intervals == {}


def test_the_same_call_gives_the_same_answer(small_model: calque.Model, sts17: Path) -> None:
    one, two = (evaluate(small_model, "sts17", sts17, resamples=50).as_dict() for _ in range(2))
    assert one == two


@pytest.mark.parametrize(
    ("only", "kept"),
    [
        (["en-en"], ["track5.en-en"]),
        (["track4*", "track5"], ["track4a.es-en", "track5.en-en"]),
        (["track?.en-*"], ["track5.en-en"]),
        (["en-es"], ["track4a.es-en"]),
        (["en"], ["track4a.es-en", "track5.en-en"]),
    ],
)
def test_only_some_sets(small_model: calque.Model, sts17: Path, only: list[str], kept: list[str]) -> None:
    found = evaluate(small_model, "sts17", sts17, only=only, resamples=0)
    assert [row.name for row in found.results] == [f"sts17:{name}" for name in kept]
    assert len(found.means) == (len(kept) > 1)


@pytest.mark.parametrize(
    ("suite", "only", "message", "hint"),
    [
        ("cake", [], "no suite called cake", "sts, sts17, stsb, bucc"),
        ("sts17", ["fr-fr"], "no set's name holds fr-fr", "track4a.es-en, track5.en-en"),
        ("speed", ["en"], "nothing to choose from", ""),
        ("bucc", [], "no files of the suite bucc", "gold"),
    ],
)
def test_mistakes_name_the_way_out(
    small_model: calque.Model, sts17: Path, suite: str, only: list[str], message: str, hint: str
) -> None:
    with pytest.raises(UsageError, match=message) as caught:
        evaluate(small_model, suite, sts17, only=only)
    assert hint in (caught.value.hint or "")


def test_every_model_is_opened_before_the_first_is_measured(small_model: calque.Model, sts17: Path) -> None:
    told: list[str] = []
    with pytest.raises(calque.CalqueError, match="there is no model at nowhere"):
        evaluate_all([small_model, "nowhere"], "sts17", sts17, report=told.append)
    assert told == []


def test_progress_names_the_model_where_there_are_several(small_model: calque.Model, sts17: Path) -> None:
    told: list[tuple[str, int, int]] = []

    def report(*now: Any) -> None:
        told.append(now)

    evaluate(small_model, "sts17", sts17, resamples=0, report=report)
    assert told == [("track4a.es-en", 0, 2), ("track5.en-en", 1, 2)]
    told.clear()
    evaluate_all([small_model, "random-word"], "sts17", sts17, resamples=0, report=report)
    assert told[0] == (f"{small_model.path}: track4a.es-en", 0, 4)
    assert told[-1] == ("random-word: track5.en-en", 3, 4)


def test_a_model_compared_with_itself_and_with_a_worse_one(small_model: calque.Model, sts17: Path) -> None:
    one, same, worse = evaluate_all([small_model, small_model, "random-word"], "sts17", sts17)
    assert {found[3] for found in differences(one, same).values()} == {1}
    found = differences(one, worse)
    assert list(found) == ["sts17:track4a.es-en", "sts17:track5.en-en", "sts17:mean"]
    across = found["sts17:track4a.es-en"]
    assert across.value == pytest.approx(
        worse["track4a.es-en"].values["pearson"] - one["track4a.es-en"].values["pearson"]
    )
    assert across.high < 0
    assert across.p < 0.01
    assert differences(worse, one)["sts17:track4a.es-en"].p == across.p


def test_what_has_no_resamples_is_not_compared(small_model: calque.Model, sts17: Path) -> None:
    for suite, resamples in (("speed", 100), ("sts17", 0)):
        one, two = evaluate_all([small_model, small_model], suite, sts17, resamples=resamples)
        assert differences(one, two) == {}


def test_models_with_a_vocabulary_a_language_are_told_the_languages(
    demo_bitext: dict[str, Path], sts17: Path, tmp_path: Path
) -> None:
    options = {"vocabulary": "word", "sharing": "separate", "dimension": 32, "epochs": 1}
    model = calque.train(demo_bitext["en-es"], tmp_path / "model", threads=1, **options)
    assert evaluate(model, "sts17", sts17, resamples=0)["track4a.es-en"].values["pearson"] > 10
    (tmp_path / "untold.tsv").write_text("5\tA dog.\tA dog.\n0\tA dog.\tThe moon.\n")
    with pytest.raises(UsageError, match="language"):
        evaluate(model, "sts", tmp_path / "untold.tsv")


def test_each_suite_shows_what_it_measures(small_model: calque.Model, sts17: Path, tatoeba: Path, bucc: Path) -> None:
    for suite, data in (("sts17", sts17), ("tatoeba", tatoeba), ("bucc", bucc), ("speed", sts17)):
        found = evaluate(small_model, suite, data, resamples=0)
        told = [row for row in found.rows if not str(row.notes.get("threshold_from")).startswith(CANNOT_TELL)]
        assert all(set(row.values) == set(SUITES[suite].measures) for row in told)
        assert told
