"""In which order pairs are seen, and how many at once.

The order is a function of the seed and the place in the run, so a run can go on from anywhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from .config import TrainingConfig
from .corpus import Languages

Pairs = npt.NDArray[np.uint32]


@dataclass(frozen=True)
class Place:
    """Where a run stands: `taken` pairs of each group in this epoch, after `steps` mini-batches in all."""

    epoch: int = 0
    taken: tuple[int, ...] = ()
    steps: int = 0

    def as_dict(self) -> dict[str, Any]:
        return {"epoch": self.epoch, "taken": list(self.taken), "steps": self.steps}

    @classmethod
    def from_dict(cls, saved: dict[str, Any]) -> Place:
        return cls(int(saved["epoch"]), tuple(map(int, saved["taken"])), int(saved["steps"]))


@dataclass(frozen=True)
class MegaBatch:
    pairs: Pairs
    size: int  # in mini-batches
    rates: npt.NDArray[np.float32]  # one a mini-batch
    after: Place
    ends_epoch: bool


class Course:
    """The whole way of a run."""

    def __init__(self, parts: Sequence[tuple[Languages, int]], config: TrainingConfig) -> None:
        self.config = config
        self.groups = _groups(parts, mixed=config.mixing == "mixed")
        self.steps_an_epoch = sum(-(-len(group) // config.batch_size) for group in self.groups)
        self.steps = self.steps_an_epoch * config.epochs

    def mega_batches(self, place: Place) -> Iterator[MegaBatch]:
        """From `place` to the end of the run."""
        while place.epoch < self.config.epochs:
            orders = [self._order(place.epoch, number) for number in range(len(self.groups))]
            taken = list(place.taken or (0,) * len(self.groups))
            while any(done < len(group) for done, group in zip(taken, self.groups, strict=True)):
                group = self._next_group(place.epoch, taken)
                size = min(self.config.mega_batch, 1 + place.steps // self.config.annealing)
                pairs = orders[group][taken[group] : taken[group] + size * self.config.batch_size]
                taken[group] += len(pairs)
                steps = -(-len(pairs) // self.config.batch_size)
                ends = all(done == len(each) for done, each in zip(taken, self.groups, strict=True))
                rates = self._rates(place.steps, steps)
                place = Place(place.epoch, tuple(taken), place.steps + steps)
                if ends:
                    place = Place(place.epoch + 1, (), place.steps)
                yield MegaBatch(pairs, steps, rates, place, ends)

    def _order(self, epoch: int, group: int) -> Pairs:
        return np.random.default_rng([self.config.seed, epoch, group]).permutation(self.groups[group])

    def _next_group(self, epoch: int, taken: list[int]) -> int:
        """Drawn in proportion to what is left of each, so that all groups last until the epoch's end."""
        if len(self.groups) == 1:
            return 0
        left = np.array([len(group) - done for done, group in zip(taken, self.groups, strict=True)])
        draw = np.random.default_rng([self.config.seed, epoch, len(self.groups), sum(taken)]).integers(left.sum())
        return int(np.searchsorted(np.cumsum(left), draw, side="right"))

    def _rates(self, first: int, count: int) -> npt.NDArray[np.float32]:
        steps = np.arange(first, first + count, dtype=np.float64)
        fall = 1 - steps / self.steps if self.config.decay else np.ones(count)
        return (self.config.learning_rate * fall).astype(np.float32)


def _groups(parts: Sequence[tuple[Languages, int]], mixed: bool) -> list[Pairs]:
    """Pairs that may share a mega-batch: those of one language pair, or all."""
    gathered: dict[Any, list[Pairs]] = {}
    begin = 0
    for languages, count in parts:
        key = None if mixed else languages
        gathered.setdefault(key, []).append(np.arange(begin, begin + count, dtype=np.uint32))
        begin += count
    groups = [np.concatenate(runs) for runs in gathered.values()]
    return [group for group in groups if len(group)]
