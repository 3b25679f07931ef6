"""Leaders and followers over runs of shards: each run meets the leaders of those before it, then settles its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..deduplication.best import SparedUnits
from ..deduplication.contrast import Codes, Contrast
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
    contrast: Contrast | None

    def __call__(self, task: Task) -> Receipt:
        begin, end = task["leaders"]
        leaders, first = self.leaders.read(begin, end), int(self.leaders.begins[begin])
        numbers = np.arange(first, first + len(leaders))
        if self.settled is not None:
            leading = read_leaders(self.settled / task["settled"]) == numbers
            leaders, numbers = _some(leaders, leading), numbers[leading]
        units = _joined(leaders, self.units.read(*task["units"]))
        found = find_earlier(units, len(leaders), self.threshold, contrast=self.contrast)
        same, near = _named(found.same, numbers), _named(found.near, numbers)
        write_earlier(self.folder / task["name"], found._replace(same=same, near=near))
        return {}


@dataclass(frozen=True)
class Settle:
    """The leader of each unit of a run of shards, once all runs before it have been met."""

    units: UnitShards
    met: Place
    folder: Place
    threshold: float
    contrast: Contrast | None

    def __call__(self, task: Task) -> Receipt:
        units, first = self.units.read(*task["units"]), int(self.units.begins[task["units"][0]])
        earlier = merged([read_earlier(self.met / name) for name in task["met"]], len(units))
        order = np.arange(len(units))
        leaders, spared = find_leaders(units, order, self.threshold, earlier=earlier, contrast=self.contrast)
        numbers = np.where(leaders < len(units), leaders + first, leaders - len(units))
        own = np.minimum(leaders, len(units) - 1) if len(units) else leaders
        same = np.where(leaders < len(units), units.letters == units.letters[own], earlier.same >= 0)
        write_settled(self.folder / task["name"], numbers, same, spared.reason)
        return {}


def settle_all(
    job: Job, units: UnitShards, chunks: Sequence[Run], threshold: float, contrast: Contrast | None
) -> Place:
    """Where the leaders are, run by run: `00000` and so on.

    A run is settled while all others but the next meet the leaders of the one before it.
    """
    met, settled = job.folder("met"), job.folder("settled")
    meet = Meet(units, units, settled, met, threshold, contrast)
    settle = Settle(units, met, settled, threshold, contrast)

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
        spared = np.flatnonzero(part.spared.similarity > whole.spared.similarity)
        whole.spared.put(spared, part.spared, spared)
    return whole


def write_earlier(place: Place, found: Earlier) -> None:
    same, near = found.same.astype(np.int64), found.near.astype(np.int64)
    reason, apart, _ = found.spared  # examples, which need the other line, are shown on one machine only
    write_packed(place, [same, near, found.similarity, reason, apart])


def read_earlier(place: Place) -> Earlier:
    kinds = (np.int64, np.int64, np.float32, np.int8, np.float32)
    same, near, similarity, reason, apart = (read_packed(place, 5, part, kind) for part, kind in enumerate(kinds))
    return Earlier(same, near, similarity, SparedUnits(reason, apart, np.full(len(same), -1)))


def write_settled(place: Place, leaders: Indices, same: npt.NDArray[np.bool_], reason: Codes) -> None:
    write_packed(place, [leaders.astype(np.int64), same, reason])


def read_leaders(place: Place) -> Indices:
    """The number of each unit's leader."""
    leaders: Indices = read_packed(place, 3, 0, np.int64)
    return leaders


def read_same(place: Place) -> npt.NDArray[np.bool_]:
    """Whether each unit has its leader's letters and digits."""
    same: npt.NDArray[np.bool_] = read_packed(place, 3, 1, np.bool_)
    return same


def read_reason(place: Place) -> Codes:
    """Return the reason why each unit that leads does so although it is near to another leader."""
    reason: Codes = read_packed(place, 3, 2, np.int8)
    return reason


def _named(places: Indices, numbers: Indices) -> Indices:
    return np.where(places < 0, -1, numbers[places]) if len(numbers) else places


def _some(units: Units, which: npt.NDArray[np.bool_]) -> Units:
    numbers, texts = np.flatnonzero(which), units.texts
    chosen = None if texts is None else lambda some: texts(numbers[some])
    return Units(units.vectors[which], units.letters[which], units.digits[which], units.sides, chosen)


def _joined(one: Units, two: Units) -> Units:
    def texts(some: Indices) -> list[tuple[str, ...]]:
        assert one.texts is not None
        assert two.texts is not None
        first = some < len(one)
        found = iter(one.texts(some[first])), iter(two.texts(some[~first] - len(one)))
        return [next(found[0] if each else found[1]) for each in first.tolist()]

    return Units(
        np.concatenate([one.vectors, two.vectors]),
        np.concatenate([one.letters, two.letters]),
        np.concatenate([one.digits, two.digits]),
        one.sides,
        texts if one.texts and two.texts else None,
    )
