"""Neighbours through FAISS's clusters: most of them, with the share measured, and resumable."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import calque
from calque.demo import sentences
from calque.errors import UsageError
from calque.mining import Mining, MiningConfig, approximate
from calque.mining.approximate import find_most_neighbours
from calque.mining.mine import Text
from calque.mining.pile import Pile, make_pile, nothing_seen
from calque.mining.search import Conditions
from calque.neighbours.nearest import nearest

pytest.importorskip("faiss")

RECALL = 0.95
K = 8
TEXT = sentences()


def pile(folder: Path, model: calque.Model, name: str, lines: list[str]) -> Pile:
    return make_pile(
        folder, name, lines, model, language=None, seen=nothing_seen(False), threads=1, watch=lambda lines: None
    )


@pytest.fixture
def both(fluent_model: calque.Model, tmp_path: Path) -> tuple[Pile, Pile]:
    return pile(tmp_path, fluent_model, "source", TEXT["en"]), pile(tmp_path, fluent_model, "target", TEXT["es"])


def find(both: tuple[Pile, Pile], folder: Path, stop: bool = False, memory: int = 1 << 30) -> object:
    return find_most_neighbours(*both, K, RECALL, Conditions(folder, memory, 1, stop_asked=lambda: stop))


def test_the_share_that_is_found_is_the_one_that_is_measured(both: tuple[Pile, Pile], tmp_path: Path) -> None:
    found = find(both, tmp_path / "work")
    assert isinstance(found, approximate.Found)
    exact = nearest(both[0].vectors[0:2000], both[1].vectors[0:2000], K)
    for ours, truth, recall in (
        (found.neighbours.forward, exact.forward, found.forward),
        (found.neighbours.backward, exact.backward, found.backward),
    ):
        share = np.mean([len(set(one) & set(two)) / K for one, two in zip(ours.index, truth.index, strict=True)])
        assert recall.share >= RECALL
        assert share == pytest.approx(recall.share, abs=0.04)


def test_what_was_stopped_goes_on_and_ends_the_same(
    both: tuple[Pile, Pile], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(approximate, "_QUERIES", 300)
    whole = find(both, tmp_path / "whole")
    assert isinstance(whole, approximate.Found)
    stops = 0
    while (found := find(both, tmp_path / "parts", stop=True)) is None:
        stops += 1
    assert stops == 8  # four parts of each side
    assert isinstance(found, approximate.Found)
    for one, two in zip(found.neighbours.__dict__.values(), whole.neighbours.__dict__.values(), strict=True):
        np.testing.assert_array_equal(one.index, two.index)
        np.testing.assert_array_equal(one.cosine, two.cosine)


def test_a_large_job_is_approximate_by_itself_and_says_so(
    fluent_model: calque.Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(approximate, "LARGE", 1000)
    texts = [Text(name, lambda name=name: TEXT[name]) for name in ("en", "es")]  # type: ignore[misc]
    for search, expected in (("auto", "approximate"), ("exact", "exact")):
        mining = Mining(fluent_model, MiningConfig(search=search), tmp_path / search)  # type: ignore[arg-type]
        report, mined = mining.run(*texts)
        assert report.as_dict()["search"] == expected
        right = sum(pair.source_line == pair.target_line for pair in mined)
        assert right > 0.9 * len(TEXT["en"])


def test_less_may_be_asked_for_and_is_found_in_fewer_clusters(both: tuple[Pile, Pile], tmp_path: Path) -> None:
    work = Conditions(tmp_path / "work", 1 << 30, 1)
    less, usual = find_most_neighbours(*both, K, 0.5, work), find(both, tmp_path / "usual")
    assert isinstance(less, approximate.Found)
    assert isinstance(usual, approximate.Found)
    assert 0.5 <= less.forward.share < usual.forward.share
    assert less.forward.probes < usual.forward.probes


def test_too_little_memory_is_an_error(both: tuple[Pile, Pile], tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="are allowed"):
        find(both, tmp_path / "none", memory=1000)
