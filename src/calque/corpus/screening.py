"""A quick look at lines that leaves few to the identifier: those that are unlike a sample in their trigrams of bytes.

The identifier takes a hundred times as long as encoding. A line in another language than most has trigrams that are
rare in the others: of such lines, 95 in 100 are among the twentieth that is least like the sample.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .identification import FEWEST_LETTERS

_FEWEST = 384  # lines to learn from
_LEARNT = 2 / 3  # share of the lines that trigrams are counted in; the limit is found on the others
SHARE = 0.05  # of lines in the sample's language that the identifier has to look at
_SLOTS = 1 << 16  # trigrams are hashed: a collision makes a line less suspicious, or another one more
_FINE = 16.0  # parts of a bit; whole numbers add up to the same whatever stands around a line
_UNSEEN = 0.1  # times that a trigram is taken to have been seen besides
_AT_ONCE = 1 << 10  # lines whose numbers stay in the processor's cache
_BASE = np.uint16(251)

_SMALL = np.arange(256, dtype=np.uint16)
_SMALL[ord("A") : ord("Z") + 1] += 32

Text = npt.NDArray[np.uint8]
Places = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Screen:
    """The logarithm of each trigram's frequency, and the least mean of a line that looks like the sample."""

    logarithms: npt.NDArray[np.int32]
    least: float

    @classmethod
    def of(cls, lines: Sequence[str]) -> Screen | None:
        """Learn from lines in one language, or return None if they are too few."""
        if len(lines) < _FEWEST:
            return None
        cut = round(_LEARNT * len(lines))
        learnt, held_out = lines[:cut], lines[cut:]
        counts = np.bincount(_trigrams(_joined(learnt)[0]), minlength=_SLOTS) + _UNSEEN
        logarithms = np.round(np.log2(counts / counts.sum()) * _FINE).astype(np.int32)
        return cls(logarithms, float(np.quantile(_means(logarithms, *_joined(held_out)), SHARE)))

    def suspects(self, text: Text, begin: Places, end: Places) -> npt.NDArray[np.bool_]:
        """Return which of the lines that follow each other in UTF-8 are unlike the sample."""
        found = np.zeros(len(begin), np.bool_)
        for first in range(0, len(begin), _AT_ONCE):
            some = slice(first, first + _AT_ONCE)
            base, until = begin[some][0], end[some][-1]
            means = _means(self.logarithms, text[base:until], begin[some] - base, end[some] - base)
            found[some] = (means < self.least) & (end[some] - begin[some] >= FEWEST_LETTERS)
        return found

    def suspects_among(self, lines: Sequence[str]) -> npt.NDArray[np.bool_]:
        return self.suspects(*_joined(lines))


def _joined(lines: Sequence[str]) -> tuple[Text, Places, Places]:
    encoded = [line.encode("utf-8", "surrogatepass") for line in lines]
    end = np.cumsum([len(line) for line in encoded], dtype=np.int64)
    begin = np.concatenate([np.zeros(1, np.int64), end[:-1]])
    return np.frombuffer(b"".join(encoded), np.uint8), begin[: len(lines)], end


def _trigrams(text: Text) -> npt.NDArray[np.uint16]:
    """The slot of the trigram that begins at each byte; the last two have none."""
    small = _SMALL[text]
    slots: npt.NDArray[np.uint16] = (small[:-2] * _BASE + small[1:-1]) * _BASE + small[2:]
    return slots


def _means(logarithms: npt.NDArray[np.int32], text: Text, begin: Places, end: Places) -> npt.NDArray[np.float64]:
    """The mean over the trigrams inside each line; 0, which is never suspicious, for a line without any."""
    means = np.zeros(len(begin))
    count = end - begin - 2
    some = np.flatnonzero(count > 0)
    if len(some):
        values = np.append(logarithms[_trigrams(text)], np.int32(0))
        edges = np.stack([begin[some], begin[some] + count[some]], axis=1).reshape(-1)
        means[some] = np.add.reduceat(values, edges)[::2] / count[some]
    return means
