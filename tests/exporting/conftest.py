"""Models that can be exported to everything, or not."""

from __future__ import annotations

from pathlib import Path

import pytest

import calque
from calque.encoder import BlstmEncoder
from calque.model import Model, save
from calque.model.quantise import quantised

TINY = {"dimension": 15, "epochs": 0, "threads": 1}


@pytest.fixture(autouse=True)
def no_hub(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")


@pytest.fixture(scope="session", params=[32, 8, 4])
def model(request: pytest.FixtureRequest, small_model: Model, tmp_path_factory: pytest.TempPathFactory) -> Model:
    """With rows as floats, and as codes."""
    if request.param == 32:
        return small_model
    made = quantised(small_model, request.param)
    return save(tmp_path_factory.mktemp("coded") / "model", made.encoder, made.about)


@pytest.fixture(scope="session", params=["word", "trigram", "separate", "separate-unshared"])
def odd_model(
    request: pytest.FixtureRequest, demo_bitext: dict[str, Path], tmp_path_factory: pytest.TempPathFactory
) -> Model:
    """An average over something else than SentencePiece's pieces, random."""
    kind, sharing = (request.param, "joint") if request.param in ("word", "trigram") else ("sp", request.param)
    out = tmp_path_factory.mktemp("odd") / "model"
    return calque.train(demo_bitext["en-es"], out, vocabulary=kind, sharing=sharing, vocabulary_size=500, **TINY)


@pytest.fixture(scope="session")
def blstm(small_model: Model) -> Model:
    return Model(BlstmEncoder(small_model.vocabulary, small_model.encoder.parameters), small_model.about)
