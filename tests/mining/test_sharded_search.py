"""Neighbours found shard by shard, stopped and gone on with, are those of one product."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import calque
from calque.errors import ModelError, UsageError
from calque.mining import search
from calque.mining.pile import Pile, make_pile, nothing_seen
from calque.mining.search import Conditions, Progress, find_neighbours, shard_rows
from calque.neighbours.nearest import BothWays, nearest
from calque.safetensors import map_tensors, write_tensors

K = 5
WORDS = ["dog", "cat", "house", "runs", "sings", "red", "blue", "often", "never", "here", "garden", "river"]


def piles(folder: Path, model: calque.Model) -> tuple[Pile, Pile]:
    draw = np.random.default_rng(0)
    made = []
    for name, count in (("source", 1500), ("target", 900)):
        lines = [f"{' '.join(draw.choice(WORDS, 6))} {number}" for number in range(count)]
        made.append(
            make_pile(
                folder,
                name,
                lines,
                model,
                language=None,
                seen=nothing_seen(True),
                threads=1,
                watch=lambda lines: None,
            )
        )
    return made[0], made[1]


def find(both: tuple[Pile, Pile], folder: Path, stop_after: int = 10**9) -> tuple[BothWays | None, list[Progress]]:
    heard: list[Progress] = []
    shards = 0

    def stop_asked() -> bool:
        nonlocal shards
        shards += 1
        return shards >= stop_after

    found = find_neighbours(*both, K, Conditions(folder, 4 << 30, 2, heard.append, stop_asked))
    return found, heard


def assert_same(found: BothWays | None, expected: BothWays) -> None:
    assert found is not None
    for one, two in ((found.forward, expected.forward), (found.backward, expected.backward)):
        np.testing.assert_array_equal(one.index, two.index)
        np.testing.assert_array_equal(one.cosine, two.cosine)


@pytest.fixture
def both(small_model: calque.Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Pile, Pile]:
    monkeypatch.setattr(search, "_SHARD_COSINES", 512 * 900)  # three shards
    return piles(tmp_path, small_model)


def test_shards_give_what_one_product_gives(both: tuple[Pile, Pile], tmp_path: Path) -> None:
    found, heard = find(both, tmp_path)
    assert_same(found, nearest(both[0].vectors[0:1500], both[1].vectors[0:900], K))
    assert heard[-1] == Progress(1500 * 900, 1500 * 900, 0)
    assert [each.done for each in heard] == sorted(each.done for each in heard)


def test_what_was_stopped_goes_on_where_it_stood(both: tuple[Pile, Pile], tmp_path: Path) -> None:
    stopped, heard = find(both, tmp_path, stop_after=1)
    assert stopped is None
    assert heard[-1].done == 512 * 900
    stopped, heard = find(both, tmp_path, stop_after=1)
    assert stopped is None
    assert (heard[0].before, heard[-1].done) == (512 * 900, 1024 * 900)
    found, _ = find(both, tmp_path)
    assert_same(found, nearest(both[0].vectors[0:1500], both[1].vectors[0:900], K))
    again, heard = find(both, tmp_path)
    assert heard == []  # all is known
    assert_same(again, nearest(both[0].vectors[0:1500], both[1].vectors[0:900], K))


def test_a_state_of_other_texts_is_refused(both: tuple[Pile, Pile], tmp_path: Path) -> None:
    find(both, tmp_path, stop_after=1)
    with pytest.raises(ModelError, match="does not belong to these texts"):
        find((both[1], both[0]), tmp_path)


def test_memory_decides_how_many_rows_are_held_and_too_little_is_refused(both: tuple[Pile, Pile]) -> None:
    assert shard_rows(*both, 4 << 30) == 512
    with pytest.raises(UsageError, match=r"take 0\.6 GB at the least, and 0\.1 GB are allowed"):
        shard_rows(*both, 100_000_000)


@pytest.mark.parametrize(
    "change",
    [
        *({"forward_index": None}, {"forward_index": np.full((1500, K), 900, np.uint32)}),
        *(
            {"backward_cosine": np.zeros((900, K), np.float64)},
            {"backward_index": np.full((900, K), 1 << 31, np.uint32)},
        ),
    ],
    ids=["missing", "beyond the targets", "of another type", "below none"],
)
def test_a_state_that_names_no_neighbours_is_refused(
    both: tuple[Pile, Pile], tmp_path: Path, change: dict[str, Any]
) -> None:
    find(both, tmp_path, stop_after=1)
    path = tmp_path / "neighbours.safetensors"
    saved = map_tensors(path)
    tensors = {name: np.array(array) for name, array in (saved.tensors | change).items() if array is not None}
    write_tensors(path, {name: array for name, array in tensors.items() if array.dtype != object}, saved.about)
    with pytest.raises(ModelError, match="does not belong to these texts"):
        find(both, tmp_path)


def test_a_state_of_more_rows_than_there_are_is_refused(both: tuple[Pile, Pile], tmp_path: Path) -> None:
    find(both, tmp_path, stop_after=1)
    saved = map_tensors(tmp_path / "neighbours.safetensors")
    tensors = {name: np.array(array) for name, array in saved.tensors.items()}
    write_tensors(tmp_path / "neighbours.safetensors", tensors, {"rows": 1501})
    with pytest.raises(ModelError, match="does not belong to these texts"):
        find(both, tmp_path)
