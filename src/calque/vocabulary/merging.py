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
from concurrent.futures import ThreadPoolExecutor
from zlib import crc32

from ..errors import CorpusError
from .sentencepiece import QUICK, UNKNOWN, SentencePieceVocabulary, TooFewPieces

# How much of the vocabulary, and of the mixture, a language gets, as a power of its text's size: by 1 the largest would
# take nearly everything, by 0 all get the same.
_OF_PIECES = 0.5
_OF_MIXTURE = 0.4
_MOST = 1 / 12  # of the pieces for one language, where there are many
_LEAST = 800  # pieces a language, if there is room
_MOST_CHARACTERS = 1_500_000  # of a language's distinct words: SentencePiece's time grows with these, not with the text
_AT_ONCE = 2  # languages: SentencePiece uses one core for half of its work
_COST = 1.0  # of every piece, as a log-probability: of two cuts that are as likely, the one of fewer pieces is chosen


def merged_vocabulary(words: Mapping[str, Counter[str]], size: int) -> SentencePieceVocabulary:
    """At most `size` pieces, from the words of each language and how often they occur.

    Raises:
        CorpusError: those are too few for the languages' characters, or a language has no text to learn from.
    """
    texts = {language: _bytes(counts) for language, counts in words.items()}
    needed = {language: _needed(language, counts) for language, counts in words.items()}
    if sum(needed.values()) > size:
        raise TooFewPieces(sum(needed.values()), size)
    pieces = allotments(texts, needed, size)

    def member(language: str) -> SentencePieceVocabulary:
        return SentencePieceVocabulary.train_at_most(most_common(words[language]), pieces[language], QUICK)

    with ThreadPoolExecutor(_AT_ONCE) as pool:
        members = dict(zip(words, pool.map(member, words), strict=True))
    return merged(members, {language: text**_OF_MIXTURE for language, text in texts.items()})


def allotments(texts: Mapping[str, int], needed: Mapping[str, int], size: int) -> dict[str, int]:
    """How many pieces each language is to have, `size` in all, from the sizes of their texts.

    Each gets what it needs at least; none more than a twelfth where there are twelve or more, nor than its part where
    there are fewer.
    """
    floor = min(_LEAST, size // (2 * len(texts)))
    least = {language: max(floor, needed[language]) for language in texts}
    if sum(least.values()) > size:
        least = dict(needed)
    most = {language: max(size * _MOST, size / len(texts), needed[language]) for language in texts}
    low, high = 0.0, float(size)
    for _ in range(64):  # the share at which what all get is what there is
        share = (low + high) / 2
        wanted = {each: min(most[each], max(least[each], share * texts[each] ** _OF_PIECES)) for each in texts}
        low, high = (share, high) if sum(wanted.values()) < size else (low, share)
    return {language: int(pieces + 1e-6) for language, pieces in wanted.items()}  # nearly whole is whole


def merged(members: Mapping[str, SentencePieceVocabulary], weights: Mapping[str, float]) -> SentencePieceVocabulary:
    """The pieces of all, each with its probability in the mixture of the members by their weights, less a cost."""
    total = sum(weights.values())
    chances: dict[str, float] = {}
    for language, member in members.items():
        own = [math.exp(score) for score in member.scores[UNKNOWN + 1 :]]
        part = weights[language] / total / sum(own)
        for piece, chance in zip(member.pieces[UNKNOWN + 1 :], own, strict=True):
            chances[piece] = chances.get(piece, 0.0) + part * chance
    scored = [(piece, math.log(chance) - _COST) for piece, chance in chances.items()]
    first = next(iter(members.values()))
    return first.of_pieces(sorted(scored, key=lambda each: (-each[1], each[0])))


def most_common(words: Counter[str]) -> Counter[str]:
    """The words that occur most, as many as a piece needs to be learnt from; of equally common ones, any."""
    if sum(map(len, words)) <= _MOST_CHARACTERS:
        return words
    kept: Counter[str] = Counter()
    left = _MOST_CHARACTERS
    for word, count in sorted(words.items(), key=lambda each: (-each[1], _draw(each[0]))):
        left -= len(word)
        if left < 0:
            break
        kept[word] = count
    return kept


def _draw(word: str) -> int:
    """A number as if at random, so that of the words that occur once not only those of the first file are taken."""
    return crc32(word.encode("utf-8", "replace"))


def _bytes(words: Counter[str]) -> int:
    """Bytes rather than characters: those of Chinese say more each, and take more."""
    return sum(len(word.encode("utf-8", "replace")) * count for word, count in words.items())


def _needed(language: str, words: Counter[str]) -> int:
    """How many pieces a language cannot do without: its characters and the unknown one.

    Raises:
        CorpusError: it has no characters that SentencePiece would learn.
    """
    try:
        return SentencePieceVocabulary.train(words, 1).size
    except TooFewPieces as problem:  # SentencePiece says so before it begins to learn
        return problem.supported
    except CorpusError as problem:
        raise CorpusError(f"{language}: {problem.message}", hint=problem.hint) from problem
