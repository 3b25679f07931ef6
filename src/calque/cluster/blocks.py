"""The product of two piles by blocks: each is work of its own, and what it finds is merged by rows and by columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ..neighbours.nearest import BothWays, Neighbours, look_through, no_neighbours, nothing_yet
from .engine import Receipt, Task
from .packed import read_packed, write_packed
from .piles import PileShards
from .places import Place

Way = Literal["forward", "backward"]

_RUN = 1 << 20  # sources held at once; all targets are read for each run of them


@dataclass(frozen=True)
class Block:
    """All that a run of source shards has to do with a run of target shards, both ways."""

    source: PileShards
    target: PileShards
    folder: Place
    k: int
    threads: int

    def __call__(self, task: Task) -> Receipt:
        with self.source.vectors(*task["source"]) as sources, self.target.vectors(*task["target"]) as targets:
            found = nothing_yet(len(sources), len(targets), self.k)
            for first in range(0, len(sources), _RUN):
                look_through(found, sources[first : first + _RUN], first, targets, self.threads)
        rows, columns = self.source.begins[task["source"][0]], self.target.begins[task["target"][0]]
        write_neighbours(self.folder / f"forward-{task['name']}", numbered(found.forward, int(columns)))
        write_neighbours(self.folder / f"backward-{task['name']}", numbered(found.backward, int(rows)))
        return {"cosines": len(found.forward.index) * len(found.backward.index)}


@dataclass(frozen=True)
class Merge:
    """The best of what several blocks found for the same sentences."""

    blocks: Place
    folder: Place
    k: int

    def __call__(self, task: Task) -> Receipt:
        found = no_neighbours(task["sentences"], self.k)
        for name in task["parts"]:
            found = merged(found, read_neighbours(self.blocks / name, self.k))
        write_neighbours(self.folder / task["name"], found)
        return {}


def numbered(neighbours: Neighbours, first: int) -> Neighbours:
    """The same, of sentences that are numbered from `first` on."""
    index = np.where(neighbours.index >= 0, neighbours.index + first, -1)
    return Neighbours(index.astype(np.int32), neighbours.cosine)


def merged(one: Neighbours, two: Neighbours) -> Neighbours:
    """The best of both; of equals, the earlier."""
    k = one.index.shape[1]
    index = np.concatenate([one.index, two.index], axis=1)
    cosine = np.concatenate([one.cosine, two.cosine], axis=1)
    order = np.lexsort((index, -cosine), axis=1)[:, :k]
    return Neighbours(np.take_along_axis(index, order, 1), np.take_along_axis(cosine, order, 1))


def write_neighbours(place: Place, neighbours: Neighbours) -> None:
    write_packed(place, [neighbours.index, neighbours.cosine])


def read_neighbours(place: Place, k: int) -> Neighbours:
    return Neighbours(
        read_packed(place, 2, 0, np.int32).reshape(-1, k), read_packed(place, 2, 1, np.float32).reshape(-1, k)
    )


def read_both(folder: Place, chunks: dict[Way, int], k: int) -> BothWays:
    """What was merged, of all sentences."""
    forward, backward = (
        _joined([read_neighbours(folder / f"{way}-{number:05d}", k) for number in range(chunks[way])])
        for way in ("forward", "backward")
    )
    return BothWays(forward, backward)


def _joined(parts: Sequence[Neighbours]) -> Neighbours:
    return Neighbours(np.concatenate([part.index for part in parts]), np.concatenate([part.cosine for part in parts]))
