"""What tells texts apart before any vector does: all their characters, their letters, their digits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import xxhash

from ..corpus.cleaning.duplicates import pair_hash
from ..corpus.cleaning.measures import Batch, Measures
from ..corpus.pair import Pair
from .numbers import numbers_of

Hashes = npt.NDArray[np.uint64]


@dataclass(frozen=True)
class Keys:
    """One number a line; a line of a bitext is a pair, and both its sides count."""

    text: Hashes
    letters: Hashes  # the same for lines with the same letters and numbers, whatever their case and punctuation
    digits: Hashes  # the same for lines with the same numbers in the same order; all equal if numbers are ignored
    length: npt.NDArray[np.int64]  # characters
    blank: npt.NDArray[np.bool_]  # nothing to be seen: such a line repeats nothing


def keys_of(rows: Sequence[tuple[str, ...]], numbers: bool = True, threads: int = 1) -> Keys:
    """Rows are texts, or pairs; with `numbers`, lines with different numbers are different."""
    sides = len(rows[0]) if rows else 1
    batch = Batch([Pair(row[0], row[-1]) for row in rows], threads=threads)
    measures = [batch.source, batch.target][:sides]
    digits = [_digits([row[side] for row in rows], each, numbers) for side, each in enumerate(measures)]

    def both(hashes: Callable[[int], Hashes]) -> Hashes:
        return hashes(0) if sides == 1 else pair_hash(hashes(0), hashes(1))

    return Keys(
        both(lambda side: measures[side]["text_hash"]),
        both(lambda side: pair_hash(_letters(measures[side]), digits[side])),
        both(lambda side: digits[side]),
        np.sum([each["characters"] for each in measures], axis=0, dtype=np.int64),
        np.all([each["visible"] == 0 for each in measures], axis=0),
    )


def _letters(measures: Measures) -> Hashes:
    """Of text without letters, all characters count."""
    return np.where(measures["letters"] > 0, measures["letters_hash"], measures["text_hash"])


def _digits(texts: Sequence[str], measures: Measures, numbers: bool) -> Hashes:
    hashes = np.zeros(len(texts), np.uint64)
    if numbers:
        for at in np.flatnonzero(measures["digits"].sum(axis=1)).tolist():
            hashes[at] = xxhash.xxh3_64_intdigest(numbers_of(texts[at]).encode())
    return hashes
