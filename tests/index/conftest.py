"""Small indexes over the demonstration's model."""

from __future__ import annotations

from pathlib import Path

import pytest

import calque

TEXTS = ["A dog runs.", "Un perro corre.", "", "The cat sleeps.", "El gato duerme.", "A dog runs.", "Ein Hund läuft."]


@pytest.fixture
def index(small_model: calque.Model, tmp_path: Path) -> calque.Index:
    return calque.Index.build(TEXTS, tmp_path / "index", small_model, threads=1)
