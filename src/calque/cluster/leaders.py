"""Leaders and followers over runs of shards: each run meets the leaders of those before it, then settles its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..deduplication.leaders import Earlier, find_earlier, find_leaders, no_earlier
from ..deduplication.units import Indices, Units
from .engine import Receipt, Task
from .job import Job
from .packed import read_packed, write_packed
from .places import Place
from .shards import Run
from .unit_shards import UnitShards


@dataclass(frozen=True)
class Meet:
    """What the leaders of one run of shards are to the units of another."""

    leaders: UnitShards
    units: UnitShards
    settled: Place | None  # which of the units lead; None: all of them
    folder: Place
    threshold: float

    def __call__(self, task: Task) -> Receipt:
        begin, end = task["leaders"]
        leaders, first = self.leaders.read(begin, end), int(self.leaders.begins[begin])
        numbers = np.arange(first, first + len(leaders))
        if self.settled is not None:
            leading = read_leaders(self.settled / task["settled"]) == numbers
            leaders, numbers = _some(leaders, leading), numbers[leading]
        found = find_earlier(_joined(leaders, self.units.read(*task["units"])), len(leaders), self.threshold)
        same, near = _named(found.same, numbers), _named(found.near, numbers)
        write_earlier(self.folder / task["name"], Earlier(same, near, found.similarity))
        return {}


@dataclass(frozen=True)
class Settle:
    """The leader of each unit of a run of shards, once all runs before it have been met."""

    units: UnitShards
    met: Place
    folder: Place
    threshold: float

    def __call__(self, task: Task) -> Receipt:
        units, first = self.units.read(*task["units"]), int(self.units.begins[task["units"][0]])
        earlier = merged([read_earlier(self.met / name) for name in task["met"]], len(units))
        leaders = find_leaders(units, np.arange(len(units)), self.threshold, earlier=earlier)
        numbers = np.where(leaders < len(units), leaders + first, leaders - len(units))
        own = np.minimum(leaders, len(units) - 1) if len(units) else leaders
        same = np.where(leaders < len(units), units.letters == units.letters[own], earlier.same >= 0)
        write_settled(self.folder / task["name"], numbers, same)
        return {}


def settle_all(job: Job, units: UnitShards, chunks: Sequence[Run], threshold: float) -> Place:
    """Where the leaders are, run by run: `00000` and so on.

    A run is settled while all others but the next meet the leaders of the one before it.
    """
    met, settled = job.folder("met"), job.folder("settled")
    meet, settle = Meet(units, units, settled, met, threshold), Settle(units, met, settled, threshold)

    def settling(number: int) -> Task:
        before = [f"{number:05d}-{other:05d}" for other in range(number)]
        return {"name": f"{number:05d}", "units": chunks[number], "met": before}

    def meeting(number: int, leaders: int) -> Task:
        name = f"{number:05d}-{leaders:05d}"
        return {"name": name, "units": chunks[number], "leaders": chunks[leaders], "settled": f"{leaders:05d}"}

    job.stage("settled", settle, [settling(0)])
    for number in range(1, len(chunks)):
        job.stage("met", meet, [meeting(number, number - 1)])
        later = [meeting(other, number - 1) for other in range(number + 1, len(chunks))]
        job.stage("met", Either(settle, meet), [settling(number) | {"settles": True}, *later])
    return settled


@dataclass(frozen=True)
class Either:
    """Two kinds of work at the same time."""

    settle: Settle
    meet: Meet

    def __call__(self, task: Task) -> Receipt:
        return self.settle(task) if task.get("settles") else self.meet(task)


def merged(parts: Sequence[Earlier], count: int) -> Earlier:
    """The best of what several runs of leaders are to the same units; of equals, the earlier."""
    whole = no_earlier(count)
    for part in parts:  # in the order of the leaders
        same = (whole.same < 0) & (part.same >= 0)
        whole.same[same] = part.same[same]
        better = part.similarity > whole.similarity
        whole.near[better], whole.similarity[better] = part.near[better], part.similarity[better]
    return whole


def write_earlier(place: Place, found: Earlier) -> None:
    write_packed(place, [found.same.astype(np.int64), found.near.astype(np.int64), found.similarity])


def read_earlier(place: Place) -> Earlier:
    same, near = (read_packed(place, 3, part, np.int64) for part in (0, 1))
    return Earlier(same, near, read_packed(place, 3, 2, np.float32))


def write_settled(place: Place, leaders: Indices, same: npt.NDArray[np.bool_]) -> None:
    write_packed(place, [leaders.astype(np.int64), same])


def read_leaders(place: Place) -> Indices:
    """The number of each unit's leader."""
    leaders: Indices = read_packed(place, 2, 0, np.int64)
    return leaders


def read_same(place: Place) -> npt.NDArray[np.bool_]:
    """Whether each unit has its leader's letters and digits."""
    same: npt.NDArray[np.bool_] = read_packed(place, 2, 1, np.bool_)
    return same


def _named(places: Indices, numbers: Indices) -> Indices:
    return np.where(places < 0, -1, numbers[places]) if len(numbers) else places


def _some(units: Units, which: npt.NDArray[np.bool_]) -> Units:
    return Units(units.vectors[which], units.letters[which], units.digits[which], units.sides)


def _joined(one: Units, two: Units) -> Units:
    return Units(
        np.concatenate([one.vectors, two.vectors]),
        np.concatenate([one.letters, two.letters]),
        np.concatenate([one.digits, two.digits]),
        one.sides,
    )
