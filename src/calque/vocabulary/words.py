"""Whole words and punctuation marks: the most frequent types."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cached_property

from ..surrogates import without_surrogates
from .normalise import normalise
from .pieces import Piece, spaced_words
from .tokens import Tokens

_WORD = re.compile(r"\w+|[^\w\s]")


def words_of(text: str) -> list[str]:
    """
    >>> words_of("It isn't 5 p.m.!")
    ['it', 'isn', "'", 't', '5', 'p', '.', 'm', '.', '!']
    """
    return _WORD.findall(normalise(without_surrogates(text)))


class WordVocabulary:
    kind = "word"
    splits_at_spaces = True
    folds_case = True
    steady_words = None
    unknown = None

    def __init__(self, words: Sequence[str]) -> None:
        self.pieces = list(words)
        self.size = len(self.pieces)

    @classmethod
    def train(cls, chunks: Counter[str], size: int) -> WordVocabulary:
        counts: Counter[str] = Counter()
        for chunk, count in chunks.items():
            for word in words_of(chunk):
                counts[word] += count
        return cls(most_frequent(counts.items(), size))

    @cached_property
    def _rows(self) -> dict[str, int]:
        return {word: row for row, word in enumerate(self.pieces)}

    def encode(self, texts: Sequence[str], language: str | None = None, threads: int = 1) -> Tokens:
        rows = self._rows
        return Tokens.from_lists([[rows[word] for word in words_of(text) if word in rows] for text in texts], self.size)

    def trace(self, text: str, language: str | None = None) -> list[Piece]:
        return [
            Piece(word, self._rows.get(word), at)
            for at, spaced in enumerate(spaced_words(text))
            for word in words_of(spaced)
        ]


def most_frequent(counts: Iterable[tuple[str, int]], size: int) -> list[str]:
    """The `size` most frequent, ties in alphabetical order, so that the same corpus gives the same rows."""
    return [word for word, _ in sorted(counts, key=lambda item: (-item[1], item[0]))[:size]]
