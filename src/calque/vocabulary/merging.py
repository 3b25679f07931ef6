"""One vocabulary for many languages, merged from one for each.

SentencePiece drops the pieces that compress its text least. Where dozens of languages lie in one text, those are the
whole words of each, and what all share stays: single letters and short syllables, of which an average learns little.
Learnt apart, each language keeps its words; of the merged pieces, each is as likely as in a text drawn from all
languages, so that text is cut by what is likely in its own.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping

from .sentencepiece import SentencePieceVocabulary, TooFewPieces, TooFewWords

# How much of the vocabulary, and of the mixture, a language gets, as a power of its text's size: by 1 the largest would
# take nearly everything, by 0 all get the same.
_OF_PIECES = 0.5
_OF_MIXTURE = 0.4
_MOST = 1 / 12  # of the pieces for one language, where there are many
_LEAST = 800  # pieces a language, if there is room
_COST = 1.0  # of every piece, as a log-probability: of two cuts that are as likely, the one of fewer pieces is chosen


def merged_vocabulary(words: Mapping[str, Counter[str]], size: int) -> SentencePieceVocabulary:
    """At most `size` pieces, from the words of each language and how often they occur.

    Raises:
        CorpusError: that is too few for the languages' characters.
    """
    characters = {language: sum(len(word) * n for word, n in counts.items()) for language, counts in words.items()}
    members = {language: _learnt(words[language], pieces) for language, pieces in allotments(characters, size).items()}
    return merged(members, {language: count**_OF_MIXTURE for language, count in characters.items()})


def allotments(texts: Mapping[str, int], size: int) -> dict[str, int]:
    """How many pieces each language is to have, `size` in all, from the sizes of their texts."""
    most = max(size * _MOST, size / len(texts))
    least = min(_LEAST, size // (2 * len(texts)))
    roots = {language: text**_OF_PIECES for language, text in texts.items()}
    low, high = 0.0, float(size)
    for _ in range(64):  # the share at which what all get is what there is
        share = (low + high) / 2
        wanted = {language: min(most, max(least, share * root)) for language, root in roots.items()}
        low, high = (share, high) if sum(wanted.values()) < size else (low, share)
    return {language: int(pieces) for language, pieces in wanted.items()}


def merged(members: Mapping[str, SentencePieceVocabulary], weights: Mapping[str, float]) -> SentencePieceVocabulary:
    """The pieces of all, each with its probability in the mixture of the members by their weights."""
    total = sum(weights.values())
    chance: dict[str, float] = {}
    for language, member in members.items():
        each = [math.exp(score) for score in member.scores[1:]]
        for piece, likely in zip(member.pieces[1:], each, strict=True):
            chance[piece] = chance.get(piece, 0.0) + weights[language] / total * likely / sum(each)
    scored = [(piece, math.log(likely) - _COST) for piece, likely in chance.items()]
    first = next(iter(members.values()))
    return first.of_pieces(sorted(scored, key=lambda each: (-each[1], each[0])))


def _bytes(words: Counter[str]) -> int:
    """Bytes rather than characters: those of Chinese say more each, and take more."""
    return sum(len(word.encode("utf-8", "replace")) * count for word, count in words.items())


def _learnt(words: Counter[str], size: int) -> SentencePieceVocabulary:
    """Of about `size` pieces: fewer if the text has no more to give, more if it has more characters."""
    try:
        return SentencePieceVocabulary.train(words, size)
    except (TooFewWords, TooFewPieces) as problem:
        return SentencePieceVocabulary.train(words, problem.supported)
