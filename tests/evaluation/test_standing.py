"""Means are over languages that a model knows; others are listed apart, and tiers have means of their own."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import calque
from calque import LanguageWarning
from calque.demo import sentences
from calque.evaluation.evaluate import evaluate, evaluate_all
from calque.evaluation.result import Result
from calque.evaluation.standing import means
from calque.evaluation.subject import of_model
from calque.evaluation.tables import one_model, side_by_side
from calque.model import Model


@pytest.fixture
def retrieval(tmp_path: Path) -> Path:
    """English, German, French and Spanish; and German once more, called Khmer and Lao."""
    text = sentences()
    for code, language in {"en": "en", "de": "de", "fr": "fr", "es": "es", "km": "de", "lo": "de"}.items():
        (tmp_path / f"news.{code}").write_text("\n".join(text[language][:60]) + "\n", encoding="utf-8")
    return tmp_path


def test_unknown_languages_come_last_and_are_left_out_of_the_mean(measured_model: Model, retrieval: Path) -> None:
    with pytest.warns(LanguageWarning, match="was not trained on km, lo: .* left out of the means, and is weak in es"):
        found = evaluate(measured_model, "retrieval", retrieval, resamples=20)
    names = [f"retrieval:{code}-en" for code in ("de", "es", "fr", "km", "lo")]
    assert [row.name for row in found.results] == names
    assert [row.name for row in found.means] == ["retrieval:mean", "retrieval:unknown"]
    scores = [row.values["accuracy"] for row in found.results]
    assert found["mean"].values["accuracy"] == pytest.approx(np.mean(scores[:3]))
    assert found["unknown"].values["accuracy"] == pytest.approx(np.mean(scores[3:]))
    assert found["mean"].notes["sets"] == 3


def test_the_tier_of_a_set_is_told(measured_model: Model, retrieval: Path) -> None:
    with pytest.warns(LanguageWarning):
        found = evaluate(measured_model, "retrieval", retrieval, resamples=0)
    told = {row["name"].partition(":")[2]: row.get("tier") for row in found.as_dict()["results"]}
    assert told == {"de-en": "strong", "es-en": "weak", "fr-en": None, "km-en": "unknown", "lo-en": "unknown"}
    table = one_model(found)
    assert table.header[-1] == "tier"
    assert [row[-1] for row in table.rows] == ["strong", "weak", "", "unknown", "unknown", "", ""]


def test_models_side_by_side_have_means_over_what_all_of_them_know(
    measured_model: Model, demo_bitext: dict[str, Path], retrieval: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    out = tmp_path_factory.mktemp("two") / "model"
    two = calque.train(demo_bitext["en-de"], out, vocabulary_size=300, dimension=16, epochs=1, threads=1)
    with pytest.warns(LanguageWarning) as told:
        one, other = evaluate_all([measured_model, two], "retrieval", retrieval, resamples=20)
    assert len([each for each in told if issubclass(each.category, LanguageWarning)]) == 2
    assert [row.name for row in one.rows] == [row.name for row in other.rows]
    assert [row.name for row in one.means] == ["retrieval:unknown"], "one set is no mean"
    assert one["unknown"].notes["sets"] == 4
    assert [row[0] for row in side_by_side([one, other]).rows] == [row.name for row in one.rows]


def result(name: str, value: float) -> Result:
    return Result(name, 10, name, {"accuracy": value}, {"accuracy": np.full(3, value)})


def test_many_measured_languages_have_a_mean_for_each_tier(measured_model: Model) -> None:
    tiers = ["strong"] * 4 + ["usable"] * 4 + ["weak"] * 3 + ["unknown"] * 2
    results = [result(f"s:{at}", 100 - at) for at in range(len(tiers))]
    subject = of_model(measured_model)
    made = means("s", subject, results, [""] * len(results), tiers)  # type: ignore[arg-type]
    assert {row.name: row.values["accuracy"] for row in made} == {
        "s:mean": 95,
        "s:strong": 98.5,
        "s:usable": 94.5,
        "s:weak": 91,
        "s:unknown": 88.5,
    }
    few = means("s", subject, results[:5], [""] * 5, tiers[:5])  # type: ignore[arg-type]
    assert [row.name for row in few] == ["s:mean"]


def test_a_model_that_knows_all_languages_has_the_mean_it_always_had(small_model: Model, sts17: Path) -> None:
    found = evaluate(small_model, "sts17", sts17, resamples=0)
    assert [row.name for row in found.means] == ["sts17:mean"]
    assert "tier" not in found.results[0].notes
