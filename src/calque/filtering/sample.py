"""A few thousand pairs that stand for all: each pair of a stream is as likely as any other to be among them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .. import _kernel
from ..corpus import Pair

SIZE = 4096
_SEED = 1


class Sample:
    """Reservoir sampling; the same stream gives the same sample, however it is cut into batches."""

    def __init__(self, size: int = SIZE) -> None:
        self._size = size
        self._random = np.random.default_rng(_SEED)
        self._pairs: list[Pair] = []
        self.seen = 0  # pairs with two sides; a blank one stands for nothing

    def add(self, batch: list[Pair]) -> None:
        pairs = _kernel.without_blank(batch)
        places = (self._random.random(len(pairs)) * np.arange(self.seen + 1, self.seen + len(pairs) + 1)).astype(int)
        fill = min(len(pairs), self._size - len(self._pairs))
        self._pairs += pairs[:fill]
        for at in np.flatnonzero(places[fill:] < self._size) + fill:
            self._pairs[places[at]] = pairs[at]
        self.seen += len(pairs)

    def pairs(self) -> list[Pair]:
        """In no order: those that came first need not stand first."""
        order = np.random.default_rng(_SEED).permutation(len(self._pairs))
        return [self._pairs[at] for at in order]


def sample_of(pairs: Sequence[Pair], size: int = SIZE) -> list[Pair]:
    sample = Sample(size)
    sample.add(list(pairs))
    return sample.pairs()
