from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from running import Running, running

import calque
from calque.demo import sentences
from calque.model import Model

pytest.importorskip("uvicorn")


@pytest.fixture(scope="session")
def index(fluent_model: Model, tmp_path_factory: pytest.TempPathFactory) -> calque.Index:
    """Spanish to search in."""
    folder: Path = tmp_path_factory.mktemp("served") / "index"
    return calque.Index.build(iter(sentences()["es"]), folder, fluent_model)


@pytest.fixture(scope="session")
def server(fluent_model: Model, index: calque.Index) -> Iterator[Running]:
    """One that has everything; whoever may harm it starts its own."""
    with running("--model", fluent_model.path, "--index", index.path, "--name", "text-embedding-3-small") as server:
        yield server
