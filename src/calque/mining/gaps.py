"""How far each sentence's best candidate stands out from its next ones.

Of the largest of many numbers whose tail falls exponentially, the i-th lies above the next by an amount whose mean is
1/i of the first gap's (Rényi 1953). So the gaps further down a sentence's list say how large its first gap would be by
chance: in a text full of similar sentences small, for a sentence that resembles nothing large.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..neighbours.matching import Scores

Numbers = npt.NDArray[np.float64]

_NEAREST = 8  # candidates of a sentence that are looked at
_UPPER = 2  # gaps that a translation may have changed; those below tell the scale
_PRIOR = 5.0  # gaps' worth of evidence that a sentence is like all others
_AT_ONCE = 1 << 16  # sentences, so that memory stays small


@dataclass(frozen=True)
class Gaps:
    """The three best scores of some sentences, and the scale of each one's gaps by chance."""

    sentence: npt.NDArray[np.int64]  # (n,)
    best: Numbers  # (n, 3), falling
    scale: Numbers  # (n,)
    typical: float  # the mean scale

    def __len__(self) -> int:
        return len(self.best)

    def some(self, most: int) -> Gaps:
        """At most so many sentences, the same ones each time."""
        if len(self) <= most:
            return self
        return self._part(np.sort(np.random.default_rng(1).choice(len(self), most, replace=False)))

    def parts(self) -> Iterator[Gaps]:
        for begin in range(0, len(self), _AT_ONCE):
            yield self._part(slice(begin, begin + _AT_ONCE))

    def _part(self, which: slice | npt.NDArray[np.int64]) -> Gaps:
        return Gaps(self.sentence[which], self.best[which], self.scale[which], self.typical)


def gaps_of(scores: Scores) -> Gaps:
    """Sentences with fewer than four candidates say nothing and are left out.

    `scores` is (n, k), −∞ where there is no candidate.
    """
    sentence, best, sums, counts = [], [], [], []
    for begin in range(0, len(scores), _AT_ONCE):
        falling = -np.sort(-scores[begin : begin + _AT_ONCE], axis=1)[:, :_NEAREST].astype(np.float64)
        enough = np.isfinite(falling[:, : _UPPER + 2]).all(axis=1) & (falling.shape[1] >= _UPPER + 2)
        falling = falling[enough]
        there = np.isfinite(falling[:, _UPPER + 1 :])
        lower = np.where(there, falling[:, _UPPER:-1] - np.where(there, falling[:, _UPPER + 1 :], 0), 0)
        lower *= np.arange(_UPPER + 1, _UPPER + 1 + lower.shape[1])
        sentence.append(begin + np.flatnonzero(enough))
        best.append(falling[:, :3])
        sums.append(np.where(there, lower, 0).sum(axis=1))
        counts.append(there.sum(axis=1))
    total, count = np.concatenate(sums), np.concatenate(counts)
    typical = max(float(total.sum()) / max(float(count.sum()), 1.0), 1e-9)
    scale = (total + _PRIOR * typical) / (count + _PRIOR)
    return Gaps(np.concatenate(sentence), np.concatenate(best), np.maximum(scale, 1e-9), typical)
