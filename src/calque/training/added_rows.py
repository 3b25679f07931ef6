"""Where training starts when a vocabulary has got more pieces for another language, and which rows may learn.

A row that the old languages use must stay as it is, or they lose what they know. But some old pieces are next to never
used there and all the time in the new language ("estas" is rare in Spanish, and Esperanto's "is"): with rows of
another meaning that nothing could change, the new language would learn badly. A vocabulary's scores tell how often the
old languages use a piece.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ..corpus.languages import best_fit
from ..encoder.protocol import Vectors
from ..vocabulary.sentencepiece import SPACE, UNKNOWN, SentencePieceVocabulary
from .corpus import TrainingCorpus

_TIMES_AS_COMMON = 30.0  # from so many times on, an old piece is the new language's rather than the old ones'


def added_rows(rows: Vectors, old: SentencePieceVocabulary, new: SentencePieceVocabulary, seed: int) -> Vectors:
    """All rows: a new piece begins as the mean of what it was cut into; where all of that was unknown, at random."""
    pieces = new.pieces[old.size :]
    typical = np.median(np.linalg.norm(rows[UNKNOWN + 1 :], axis=1))
    start = np.random.default_rng(seed).standard_normal((len(pieces), rows.shape[1]), dtype=np.float32)
    start *= np.float32(typical / np.sqrt(rows.shape[1]))
    for at, cut in enumerate(old.cuts([piece.removeprefix(SPACE) for piece in pieces])):
        if known := [id for id in cut if id != UNKNOWN]:
            start[at] = rows[known].mean(axis=0)
    return np.concatenate([rows, start])


def frozen_rows(
    old: SentencePieceVocabulary, size: int, corpus: TrainingCorpus, added: Sequence[str]
) -> npt.NDArray[np.bool_]:
    """Of `size` rows, those of old pieces that are not much more common in the added languages than in the old ones."""
    counts = np.zeros(size)
    begin = 0
    for languages, pairs in corpus.parts:
        for side, language in zip((corpus.source, corpus.target), languages or (), strict=False):
            if best_fit(language, added) is not None:
                ids = side.ids[int(side.offsets[begin]) : int(side.offsets[begin + pairs])]
                counts += np.bincount(ids, minlength=size)
        begin += pairs
    share = counts[: old.size] / max(counts.sum(), 1)
    frozen = np.zeros(size, bool)
    frozen[: old.size] = share <= _TIMES_AS_COMMON * np.exp(old.scores)
    frozen[UNKNOWN] = True
    return frozen
