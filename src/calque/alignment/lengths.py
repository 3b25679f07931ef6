"""How much longer one language puts the same than the other: known from sentences that are surely translations."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..encoder.average import unit
from .document import Document

_SAMPLE, _FEWEST = 256, 16  # sentences
_CELLS = 1 << 23  # cosines: of a very long document there are fewer sentences in the sample


def in_lengths_of(source: Document, target: Document) -> Document:
    """The target as if its language were as long-winded as the source's.

    Totals would not tell: a chapter may be missing. Of some sentences of the shorter document, the half that is closest
    to any of the other document counts.
    """
    shorter, longer = (source, target) if len(source) < len(target) else (target, source)
    count = min(_SAMPLE, max(_FEWEST, _CELLS // len(longer)))
    some = np.unique(np.linspace(0, len(shorter) - 1, count).astype(np.intp))
    cosines = unit(shorter.sums[some]) @ unit(longer.sums).T
    nearest = cosines.argmax(axis=1)
    cosine = cosines[np.arange(len(some)), nearest]
    sure = cosine >= np.median(cosine)
    ratios = np.log(longer.lengths[nearest[sure]] / shorter.lengths[some[sure]])
    factor = np.exp(np.median(ratios) * (1 if shorter is target else -1))
    return replace(target, lengths=(target.lengths * factor).astype(np.float32))
