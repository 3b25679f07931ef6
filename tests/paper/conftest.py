"""One run of all experiments, which many tests look at."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import shelf
from shelf import Everything

from calque.paper import table4
from calque.paper.reproduce import reproduce
from calque.paper.scale import SCALES


@pytest.fixture(scope="session", autouse=True)
def tiny_scale() -> Iterator[None]:
    """A scale of seconds, under a name of its own; and of the other libraries the one that is imported quickly."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(SCALES, shelf.SCALE, shelf.TINY)
        patch.setattr(table4, "PEERS", {"model2vec": table4.PEERS["model2vec"]})
        yield


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A library of one's own, to be changed."""
    return shelf.build(tmp_path / "data")


@pytest.fixture(scope="session")
def everything(tmp_path_factory: pytest.TempPathFactory) -> Everything:
    """What `calque reproduce all` leaves."""
    folder = tmp_path_factory.mktemp("everything")
    data, out, said = shelf.build(folder / "data"), folder / "out", list[str]()
    for _ in reproduce("all", data, out, scale=shelf.SCALE, say=said.append):
        pass
    return Everything(data, out, said)
