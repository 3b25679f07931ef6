"""A few thousand pairs that stand for all: each pair of a stream is as likely as any other to be among them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from .. import _kernel
from ..corpus import Pair

Numbers = npt.NDArray[np.int64]

SIZE = 4096
_SEED = 1


class Places:
    """Reservoir sampling by numbers alone: which of those that come by take which place."""

    def __init__(self, size: int = SIZE) -> None:
        self.size = size
        self.seen = 0
        self._random = np.random.default_rng(_SEED)

    def take(self, count: int) -> tuple[Numbers, Numbers]:
        """Of the next `count`, which take a place, and which; a later one takes the place of an earlier one."""
        numbers = np.arange(self.seen, self.seen + count)
        drawn = (self._random.random(count) * (numbers + 1)).astype(np.int64)
        places = np.where(numbers < self.size, numbers, drawn)
        taking = np.flatnonzero(places < self.size)
        self.seen += count
        return taking, places[taking]

    def order(self) -> Numbers:
        """The places in no order: those that came first need not stand first."""
        return np.random.default_rng(_SEED).permutation(min(self.seen, self.size))


class Sample:
    """The same stream gives the same sample, however it is cut into batches."""

    def __init__(self, size: int = SIZE) -> None:
        self._places = Places(size)
        self._pairs: dict[int, Pair] = {}

    @property
    def seen(self) -> int:
        """Pairs with two sides; a blank one stands for nothing."""
        return self._places.seen

    def add(self, batch: list[Pair]) -> None:
        pairs = _kernel.without_blank(batch)
        for at, place in zip(*(each.tolist() for each in self._places.take(len(pairs))), strict=True):
            self._pairs[place] = pairs[at]

    def pairs(self) -> list[Pair]:
        return [self._pairs[place] for place in self._places.order().tolist()]


def sample_of(pairs: Sequence[Pair], size: int = SIZE) -> list[Pair]:
    sample = Sample(size)
    sample.add(list(pairs))
    return sample.pairs()
