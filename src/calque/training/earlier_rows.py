"""Where training starts from a model that was trained before: rows for pieces that are new, and rows that stay.

A row that is used by all that the model knows must stay as it is, or that is forgotten. Of the pieces that a domain
or a language uses, some are next to never used elsewhere ("estas" is rare in Spanish, and Esperanto's "is"): their rows
may learn at little cost, and what is new could hardly be learnt if they did not. The vocabulary's scores are
log-probabilities, and tell how common a piece was in the text that it was learnt from.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ..corpus.languages import best_fit
from ..encoder.protocol import Vectors
from ..vocabulary.sentencepiece import SPACE, UNKNOWN, SentencePieceVocabulary
from .corpus import Corpus


def added_rows(rows: Vectors, old: SentencePieceVocabulary, new: SentencePieceVocabulary, seed: int) -> Vectors:
    """All rows: a new piece begins as the mean of what it was cut into; where all of that was unknown, at random."""
    pieces, names = new.pieces[old.size :], old.pieces
    typical = np.median(np.linalg.norm(rows[UNKNOWN + 1 :], axis=1))
    start = np.random.default_rng(seed).standard_normal((len(pieces), rows.shape[1]), dtype=np.float32)
    start *= np.float32(typical / np.sqrt(rows.shape[1]))
    for at, cut in enumerate(old.cuts([piece.removeprefix(SPACE) for piece in pieces])):
        if known := [id for id in cut if id != UNKNOWN and names[id] != SPACE]:
            start[at] = rows[known].mean(axis=0)
    return np.concatenate([rows, start])


def frozen_rows(
    old: SentencePieceVocabulary, size: int, corpus: Corpus, times: float, languages: Sequence[str] = ()
) -> npt.NDArray[np.bool_]:
    """Of `size` rows, those of old pieces that are not more than `times` as common in the corpus as they were before.

    With `languages`, only the corpus's sides in those count.
    """
    counts = _counts(corpus, size, languages)
    frozen = np.zeros(size, bool)
    likely = np.exp(old.scores)
    likely /= likely[UNKNOWN + 1 :].sum()  # a merged vocabulary's are all lower by a cost
    frozen[: old.size] = counts[: old.size] <= times * counts.sum() * likely
    frozen[UNKNOWN] = True
    return frozen


def _counts(corpus: Corpus, size: int, languages: Sequence[str]) -> npt.NDArray[np.int64]:
    """How often each piece occurs."""
    counts = np.zeros(size, np.int64)
    for side in corpus.sides(size):
        if not languages or (side.language and best_fit(side.language, languages) is not None):
            counts += side.counts
    return counts
