"""In which order pairs are seen, and how many at once.

The order is a function of the seed and the place in the run, so a run can go on from anywhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..corpus import Languages
from .config import TrainingConfig
from .corpus import seen

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

    def __init__(
        self, parts: Sequence[tuple[Languages | None, int]], config: TrainingConfig, weights: Sequence[float] = ()
    ) -> None:
        self.config = config
        self.groups = _groups(parts, weights or [1.0] * len(parts), mixed=config.mixing == "mixed")
        self.sizes = [sum(run.seen for run in group) for group in self.groups]  # pairs seen in an epoch
        self.steps_an_epoch = sum(-(-size // config.batch_size) for size in self.sizes)
        self.steps = self.steps_an_epoch * config.epochs

    def mega_batches(self, place: Place) -> Iterator[MegaBatch]:
        """From `place` to the end of the run."""
        while place.epoch < self.config.epochs:
            orders = [self._order(place.epoch, number) for number in range(len(self.groups))]
            taken = list(place.taken or (0,) * len(self.groups))
            while taken != self.sizes:
                group = self._next_group(place.epoch, taken)
                size = min(self.config.mega_batch, 1 + place.steps // self.config.annealing)
                pairs = orders[group][taken[group] : taken[group] + size * self.config.batch_size]
                taken[group] += len(pairs)
                steps = -(-len(pairs) // self.config.batch_size)
                ends = taken == self.sizes
                rates = self._rates(place.steps, steps)
                place = Place(place.epoch, tuple(taken), place.steps + steps)
                if ends:
                    place = Place(place.epoch + 1, (), place.steps)
                yield MegaBatch(pairs, steps, rates, place, ends)

    def _order(self, epoch: int, group: int) -> Pairs:
        draw = np.random.default_rng([self.config.seed, epoch, group])
        return draw.permutation(np.concatenate([run.pairs(draw) for run in self.groups[group]]))

    def _next_group(self, epoch: int, taken: list[int]) -> int:
        """Drawn in proportion to what is left of each, so that all groups last until the epoch's end."""
        if len(self.groups) == 1:
            return 0
        left = np.array(self.sizes) - taken
        draw = np.random.default_rng([self.config.seed, epoch, len(self.groups), sum(taken)]).integers(left.sum())
        return int(np.searchsorted(np.cumsum(left), draw, side="right"))

    def _rates(self, first: int, count: int) -> npt.NDArray[np.float32]:
        steps = np.arange(first, first + count, dtype=np.float64)
        fall = 1 - steps / self.steps if self.config.decay else np.ones(count)
        return (self.config.learning_rate * fall).astype(np.float32)


@dataclass(frozen=True)
class _Run:
    """Pairs that follow one another in the corpus, and how often an epoch sees them."""

    begin: int
    count: int
    weight: float

    @property
    def seen(self) -> int:
        return seen(self.count, self.weight)

    def pairs(self, draw: np.random.Generator) -> Pairs:
        """Each as often as the weight's whole part says, and some of them, each time others, once more."""
        every = np.arange(self.begin, self.begin + self.count, dtype=np.uint32)
        times, more = divmod(self.seen, max(self.count, 1))
        some = [draw.choice(every, more, replace=False)] if more else []
        return np.concatenate([*[every] * times, *some, every[:0]])


def _groups(parts: Sequence[tuple[Languages | None, int]], weights: Sequence[float], mixed: bool) -> list[list[_Run]]:
    """Pairs that may share a mega-batch: those of one language pair, or all."""
    gathered: dict[Any, list[_Run]] = {}
    begin = 0
    for (languages, count), weight in zip(parts, weights, strict=True):
        gathered.setdefault(None if mixed else languages, []).append(_Run(begin, count, weight))
        begin += count
    return [runs for runs in gathered.values() if sum(run.seen for run in runs)]
