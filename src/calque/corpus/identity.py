"""Which texts are the same, or as good as: what a difference in case, punctuation or spaces does not change."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from .cleaning.measures import measure_texts

Identities = npt.NDArray[np.uint64]


def identities(texts: Sequence[str], threads: int = 1) -> Identities:
    """A hash for each text that only its letters decide, in small case; where there are digits, all characters do.

    "Thank you!" is "thank you", but "Rule 12." is not "Rule 21.", nor "Rule 12".
    """
    measures = measure_texts([(text,) for text in texts], 0, 0, threads)
    plain = (measures["letters"] > 0) & ~measures["digits"].any(axis=1)
    found: Identities = np.where(plain, measures["letters_hash"], measures["text_hash"])
    return found
