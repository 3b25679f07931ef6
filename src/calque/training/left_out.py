"""Learning from plain text: a sentence and itself, each time without some of its words.

Two copies that lack different words can only be told to be one sentence by what the remaining words have in common, so
words that occur together become alike.
"""

from __future__ import annotations

import numpy as np

from ..vocabulary import Tokens
from .corpus import Sides, Truths


def with_words_left_out(
    sides: Sides, chosen: Truths, begins_word: Truths, share: float, draw: np.random.Generator
) -> Sides:
    """The same pairs; of those that are `chosen`, either side lacks a random `share` of its words, but never all.

    Args:
        begins_word: One truth a row of the vocabulary.
    """
    return Sides(*(_thinned(side, chosen, begins_word, share, draw) for side in sides))


def _thinned(side: Tokens, chosen: Truths, begins_word: Truths, share: float, draw: np.random.Generator) -> Tokens:
    begins = begins_word[side.ids]
    begins[side.offsets[:-1].astype(np.int64)] = True
    word_of = np.cumsum(begins) - 1
    sentence_of = np.repeat(np.arange(len(side)), side.lengths)[begins]
    numbers = draw.random(len(sentence_of))
    kept = (numbers >= share) | ~chosen[sentence_of]
    lost = np.flatnonzero(np.bincount(sentence_of[kept], minlength=len(side)) == 0)
    if len(lost):  # nothing of them is left: the word that was nearest to staying does
        order = np.lexsort((-numbers, sentence_of))
        first = order[np.searchsorted(sentence_of, lost)]
        kept[first] = True
    return side.where(kept[word_of])
