"""More pieces for a SentencePiece vocabulary, for a language that it was not learnt from.

Text of the languages it was learnt from should be cut as before, or their words change vectors. A new piece may win
inside an old word, too, and the old text is not at hand any more. What is: the old pieces that are words themselves,
and the other side of the new bitext. A new piece goes if it changes any of the former, or of the latter more than it
is worth.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from typing import NamedTuple

from ..errors import CorpusError
from .sentencepiece import SPACE, UNKNOWN, SentencePieceVocabulary

# Scores are log-probabilities, and the new language is a small part of what the old ones and it say together.
_DISCOUNT = 2.0
_MOST_HARM = 0.03  # how often a new piece may occur in known text, as a share of how often in the new


class Scored(NamedTuple):
    piece: str
    score: float


def extended(
    vocabulary: SentencePieceVocabulary, new: Counter[str], known: Counter[str], most: int
) -> SentencePieceVocabulary:
    """The same vocabulary with at most `most` pieces more, learnt from the words in `new`.

    All pieces keep their ids, and the words in `known` are cut as before, but for a few rare ones.
    """
    own = {piece[1:]: math.inf for piece in vocabulary.pieces if piece.startswith(SPACE) and len(piece) > 1}
    pieces = _harmless(vocabulary, _lacking(vocabulary, new, most), new, {**known, **own})
    taken = _uses(vocabulary, pieces, new)
    return vocabulary.with_pieces(each for each in pieces if taken[each.piece])  # no row that nothing could teach


def _lacking(vocabulary: SentencePieceVocabulary, new: Counter[str], most: int) -> list[Scored]:
    """What a vocabulary of the new words alone has and this one has not."""
    try:
        learnt = SentencePieceVocabulary.train_at_most(new, most)
    except CorpusError as problem:
        hint = (problem.hint or "").replace("--vocabulary-size", "--add-pieces")
        raise CorpusError(problem.message, hint=hint) from problem
    there = {*vocabulary.pieces, learnt.pieces[UNKNOWN]}
    scored = map(Scored, learnt.pieces, learnt.scores)
    return [Scored(piece, score - _DISCOUNT) for piece, score in scored if piece not in there]


def _uses(vocabulary: SentencePieceVocabulary, pieces: list[Scored], words: Mapping[str, float]) -> dict[str, float]:
    """How often each new piece is taken."""
    uses = dict.fromkeys((each.piece for each in pieces), 0.0)
    for count, cut in zip(words.values(), vocabulary.with_pieces(pieces).cuts(list(words)), strict=True):
        for id in set(cut):
            if id >= vocabulary.size:
                uses[pieces[id - vocabulary.size].piece] += count
    return uses


def _harmless(
    vocabulary: SentencePieceVocabulary, pieces: list[Scored], new: Counter[str], held: Mapping[str, float]
) -> list[Scored]:
    """Those that are taken in `held` seldom enough; a word that was unknown in part does not count."""
    uses = _uses(vocabulary, pieces, new)
    old = {word: cut for word, cut in zip(held, vocabulary.cuts(list(held)), strict=True) if UNKNOWN not in cut}
    while True:
        harms = _uses(vocabulary, pieces, {word: held[word] for word in old})
        kept = [each for each in pieces if harms[each.piece] <= _MOST_HARM * uses[each.piece]]
        if len(kept) == len(pieces):
            return pieces
        pieces = kept  # without the others, these may be taken where those were
