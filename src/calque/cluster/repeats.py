"""Which keys of all shards came before: shards hand their keys out by ranges, and ranges hand back what repeats."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..corpus.seen import Marks
from .engine import Receipt, Task
from .job import Job
from .packed import read_packed, write_packed
from .places import Place

Keys = npt.NDArray[np.uint64]

_ENTRY = np.dtype([("key", np.uint64), ("place", np.uint32)])
_A_RANGE = 1 << 28  # bytes of text: some million lines' keys are looked through at once
_MOST = 1 << 12


@dataclass(frozen=True)
class Repeats:
    """A folder for the keys of `shards` shards, cut into `ranges` by their highest bits."""

    folder: Place
    shards: int
    ranges: int

    @classmethod
    def among(cls, folder: Place, sizes: list[int]) -> Repeats:
        """For shards of these sizes in bytes."""
        ranges = min(max(sum(sizes) // _A_RANGE, 1), _MOST)
        return cls(folder, len(sizes), 1 << (ranges - 1).bit_length())

    def hand_out(self, shard: int, keys: Keys) -> None:
        """The keys of a shard, in their order."""
        ranges = (keys >> np.uint64(32)) * np.uint64(self.ranges) >> np.uint64(32)
        order = np.argsort(ranges, kind="stable")
        entries = np.empty(len(keys), _ENTRY)
        entries["key"], entries["place"] = keys[order], order
        cuts = np.searchsorted(ranges[order], np.arange(1, self.ranges))
        write_packed(self.folder / f"keys-{shard:05d}", np.split(entries, cuts))

    def find(self, job: Job, stage: str) -> None:
        """Finds what repeats, range by range."""
        job.stage(stage, self, [{"name": f"{number:05d}", "range": number} for number in range(self.ranges)])

    def __call__(self, task: Task) -> Receipt:
        found = [
            read_packed(self.folder / f"keys-{shard:05d}", self.ranges, task["range"], _ENTRY)
            for shard in range(self.shards)
        ]
        keys = np.concatenate([each["key"] for each in found])
        _, first, counts = np.unique(keys, return_index=True, return_counts=True)
        copies = np.zeros(len(keys), np.uint32)
        copies[first] = counts - 1
        repeated = np.ones(len(keys), bool)
        repeated[first] = False
        cuts = np.cumsum([len(each) for each in found])[:-1]
        shards = list(zip(found, np.split(repeated, cuts), np.split(copies, cuts), strict=True))
        number = f"{task['range']:05d}"
        write_packed(self.folder / f"repeats-{number}", [each["place"][marks] for each, marks, _ in shards])
        write_packed(
            self.folder / f"copies-{number}",
            [np.column_stack([each["place"][many > 0], many[many > 0]]) for each, _, many in shards],
        )
        return {"repeats": int(repeated.sum())}

    def marks(self, shard: int, count: int) -> Marks:
        """Whether each of a shard's keys has come before."""
        marks = np.zeros(count, bool)
        for number in range(self.ranges):
            marks[read_packed(self.folder / f"repeats-{number:05d}", self.shards, shard, np.uint32)] = True
        return marks

    def foretold(self, task: Task, count: int) -> Foretold:
        """What a table of all that was seen before would say to the shard of a task, which has `count` keys."""
        return Foretold(self.marks(int(task["name"]), count))

    def copies(self, shard: int) -> npt.NDArray[np.uint32]:
        """(n, 2): which of a shard's keys come again, and how often."""
        parts = [
            read_packed(self.folder / f"copies-{number:05d}", self.shards, shard, np.uint32).reshape(-1, 2)
            for number in range(self.ranges)
        ]
        return np.concatenate(parts)


class Foretold:
    """Answers as a table of all that was seen before would, for the one who asks in the order that was recorded."""

    forgotten = 0

    def __init__(self, marks: Marks) -> None:
        self._marks = marks
        self._next = 0

    def add(self, hashes: Keys, /) -> Marks:
        begin, self._next = self._next, self._next + len(hashes)
        return self._marks[begin : self._next]
