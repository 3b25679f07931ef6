"""What the tests of several integrations share."""

from __future__ import annotations

from pathlib import Path

import pytest

import calque


@pytest.fixture(autouse=True)
def offline(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing here may be looked up on a hub."""
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")


@pytest.fixture(scope="session")
def separate_model(demo_bitext: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> calque.Model:
    """English and Spanish with a vocabulary each, so that a text's language must be told."""
    out = tmp_path_factory.mktemp("separate") / "model"
    settings = {"vocabulary_size": 900, "dimension": 32, "epochs": 8, "seed": 1, "threads": 1}
    return calque.train(demo_bitext["en-es"], out, sharing="separate", **settings)
