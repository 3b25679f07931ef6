"""A server tells how well its model knows its languages: once in its log, and in /v1/models."""

from __future__ import annotations

from running import running

from calque.model import Model


def test_quality_by_language_in_v1_models_and_once_in_the_log(measured_model: Model) -> None:
    with running("--model", measured_model.path, "--workers", "2") as server:
        (card,) = server.get("/v1/models").json()["data"]
        described = server.get("/openapi.json").json()["components"]["schemas"]["Quality"]
        assert server.stop() == 0
    assert card["languages"] == ["en", "es", "de", "fr"]
    told = {"n": 500, "set": "held-out.en-es", "date": "2026-03-01"}
    assert card["quality"]["es"] == told | {"found": 40.0, "tier": "weak"}
    assert {language: its["tier"] for language, its in card["quality"].items()} == {
        "en": "strong",
        "es": "weak",
        "de": "strong",
    }
    assert "found" in described["properties"]
    assert "".join(server.log).count("warning: the model is weak in es, and unknown to it is any language") == 1


def test_a_model_that_was_not_measured_warns_of_nothing(small_model: Model) -> None:
    with running("--model", small_model.path) as server:
        (card,) = server.get("/v1/models").json()["data"]
        assert server.stop() == 0
    assert card["quality"] == {}
    assert "weak" not in "".join(server.log)
