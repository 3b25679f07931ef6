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
from .corpus import Part, Truths, seen, share

Pairs = npt.NDArray[np.uint32]


@dataclass(frozen=True)
class Place:
    """Where a run stands: `taken` pairs of each group of this epoch's window, after `steps` mini-batches in all."""

    epoch: int = 0
    taken: tuple[int, ...] = ()
    steps: int = 0
    window: int = 0

    def as_dict(self) -> dict[str, Any]:
        return {"epoch": self.epoch, "window": self.window, "taken": list(self.taken), "steps": self.steps}

    @classmethod
    def from_dict(cls, saved: dict[str, Any]) -> Place:
        return cls(
            int(saved["epoch"]), tuple(map(int, saved["taken"])), int(saved["steps"]), int(saved.get("window", 0))
        )


@dataclass(frozen=True)
class MegaBatch:
    epoch: int
    window: int  # what `pairs` are numbers in
    pairs: Pairs
    size: int  # in mini-batches
    rates: npt.NDArray[np.float32]  # one a mini-batch
    plain: Truths | None  # which pairs are sentences of plain text; none of them are
    after: Place
    ends_epoch: bool


class Course:
    """The whole way of a run."""

    def __init__(
        self,
        parts: Sequence[Part],
        config: TrainingConfig,
        weights: Sequence[float] = (),
        windows: int = 1,
    ) -> None:
        self.config = config
        weights = weights or [1.0] * len(parts)
        all_windows = (_window(number, windows, parts, weights, config.mixing == "mixed") for number in range(windows))
        self.windows = [window for window in all_windows if window.groups]
        sizes = [size for window in self.windows for size in window.sizes]
        self.pairs = sum(sizes)  # seen in an epoch
        self.steps = sum(-(-size // config.batch_size) for size in sizes) * config.epochs

    def mega_batches(self, place: Place) -> Iterator[MegaBatch]:
        """From `place` to the end of the run."""
        while place.epoch < self.config.epochs:
            window = self.windows[place.window]
            orders = [self._order(place.epoch, window, group) for group in range(len(window.groups))]
            taken = list(place.taken or (0,) * len(window.groups))
            while taken != window.sizes:
                group = self._next_group(place.epoch, window, taken)
                size = min(self.config.mega_batch, 1 + place.steps // self.config.annealing)
                pairs = orders[group][taken[group] : taken[group] + size * self.config.batch_size]
                taken[group] += len(pairs)
                steps = -(-len(pairs) // self.config.batch_size)
                rates = self._rates(place.steps, steps)
                after = self._after(place, taken, place.steps + steps)
                yield MegaBatch(
                    epoch=place.epoch,
                    window=window.number,
                    pairs=pairs,
                    size=steps,
                    rates=rates,
                    plain=window.plain(pairs),
                    after=after,
                    ends_epoch=after.epoch > place.epoch,
                )
                place = after

    def _after(self, place: Place, taken: list[int], steps: int) -> Place:
        if taken != self.windows[place.window].sizes:
            return Place(place.epoch, tuple(taken), steps, place.window)
        if place.window + 1 < len(self.windows):
            return Place(place.epoch, (), steps, place.window + 1)
        return Place(place.epoch + 1, (), steps)

    def _order(self, epoch: int, window: _Window, group: int) -> Pairs:
        draw = np.random.default_rng([self.config.seed, epoch, group, *window.mark])
        return draw.permutation(np.concatenate([run.pairs(draw) for run in window.groups[group]]))

    def _next_group(self, epoch: int, window: _Window, taken: list[int]) -> int:
        """Drawn in proportion to what is left of each, so that all groups last until the window's end."""
        if len(window.groups) == 1:
            return 0
        left = np.array(window.sizes) - taken
        place = [self.config.seed, epoch, len(window.groups), sum(taken), *window.mark]
        draw = np.random.default_rng(place).integers(left.sum())
        return int(np.searchsorted(np.cumsum(left), draw, side="right"))

    def _rates(self, first: int, count: int) -> npt.NDArray[np.float32]:
        steps = np.arange(first, first + count, dtype=np.float64)
        fall = 1 - steps / self.steps if self.config.decay else np.ones(count)
        return (self.config.learning_rate * fall).astype(np.float32)


@dataclass(frozen=True)
class _Run:
    """Pairs that follow one another in the corpus, and how often an epoch sees them."""

    part: Part
    begin: int
    count: int
    seen: int

    def pairs(self, draw: np.random.Generator) -> Pairs:
        """Each as often as the weight's whole part says, and some of them, each time others, once more."""
        every = np.arange(self.begin, self.begin + self.count, dtype=np.uint32)
        times, more = divmod(self.seen, max(self.count, 1))
        some = [draw.choice(every, more, replace=False)] if more else []
        return np.concatenate([*[every] * times, *some, every[:0]])


@dataclass(frozen=True)
class _Window:
    """A share of all parts: the pairs that an epoch has in memory at once, in groups that may share a mega-batch."""

    number: int
    mark: tuple[int, ...]  # makes its draws others than those of other windows
    groups: list[list[_Run]]

    @property
    def sizes(self) -> list[int]:
        """How many pairs of each group are seen."""
        return [sum(run.seen for run in group) for group in self.groups]

    def plain(self, pairs: Pairs) -> Truths | None:
        """Which of the pairs are sentences of plain text; None if the window has no such text."""
        runs = sorted((run for group in self.groups for run in group), key=lambda run: run.begin)
        if not any(run.part.plain for run in runs):
            return None
        at = np.searchsorted([run.begin for run in runs], pairs, side="right") - 1
        return np.array([run.part.plain for run in runs])[at]


def _window(number: int, windows: int, parts: Sequence[Part], weights: Sequence[float], mixed: bool) -> _Window:
    """With groups of one language pair each, plain text apart, or one group of all."""
    gathered: dict[Any, list[_Run]] = {}
    begin = 0
    for part, weight in zip(parts, weights, strict=True):
        which = share(part.pairs, number, windows)
        run = _Run(part, begin, len(which), seen(which.stop, weight) - seen(which.start, weight))
        gathered.setdefault(None if mixed else (part.languages, part.plain), []).append(run)
        begin += len(which)
    groups = [runs for runs in gathered.values() if sum(run.seen for run in runs)]
    return _Window(number, (number + 1,) if windows > 1 else (), groups)
