"""Character trigrams of the whole sentence, spaces included: the most frequent types."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from ..surrogates import without_surrogates
from .normalise import normalise
from .pieces import Piece, spaced_words
from .tokens import Tokens, id_type

Codes = npt.NDArray[np.int64]

_BITS = 21  # a code point


class TrigramVocabulary:
    """Trigram "abc" is kept as one number, so that a whole batch is looked up by a sorted search."""

    kind = "trigram"
    splits_at_spaces = False  # a trigram may span a space
    folds_case = True
    steady_words = None
    unknown = None

    def __init__(self, trigrams: Sequence[str]) -> None:
        self.pieces = list(trigrams)
        self.size = len(self.pieces)
        codes = np.array([_code(trigram) for trigram in self.pieces], np.int64)
        self._order = np.argsort(codes).astype(id_type(self.size))
        self._sorted = np.append(codes[self._order], -1)  # so that a search's answer is always an index

    @classmethod
    def train(cls, batches: Iterable[Sequence[str]], size: int) -> TrigramVocabulary:
        counts: dict[int, int] = {}
        for batch in batches:
            codes, _ = trigram_codes(batch)
            for code, count in zip(*(part.tolist() for part in np.unique(codes, return_counts=True)), strict=True):
                counts[code] = counts.get(code, 0) + count
        most = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:size]
        return cls([_trigram(code) for code, _ in most])

    def encode(self, texts: Sequence[str], language: str | None = None, threads: int = 1) -> Tokens:
        codes, offsets = trigram_codes(texts)
        at = np.searchsorted(self._sorted[:-1], codes)
        known = Tokens(at, offsets).where(self._sorted[at] == codes)
        return Tokens(self._order[known.ids], known.offsets)

    def trace(self, text: str, language: str | None = None) -> list[Piece]:
        """A trigram comes from the word of its middle character; a space counts to the word after it."""
        origins: list[int] = []  # of each character but the first, which is no trigram's middle
        for at, word in enumerate(spaced_words(text)):
            normalised = normalise(without_surrogates(word))
            origins += [at] * (len(normalised) + 1 if normalised else 0)  # with the space before it
        codes, _ = trigram_codes([text])
        places = np.searchsorted(self._sorted[:-1], codes)
        known = self._sorted[places] == codes
        return [
            Piece(_trigram(code), int(self._order[place]) if is_known else None, word)
            for code, place, is_known, word in zip(
                codes.tolist(), places.tolist(), known.tolist(), origins[1:], strict=True
            )
        ]


def trigram_codes(texts: Sequence[str]) -> tuple[Codes, npt.NDArray[np.uint64]]:
    """The trigrams of all texts in a row, and where each text's begin."""
    framed = [f" {normalise(without_surrogates(text))} " for text in texts]
    lengths = np.fromiter(map(len, framed), np.int64, len(framed))
    characters = np.frombuffer("".join(framed).encode("utf-32-le"), np.uint32).astype(np.int64)
    ends = np.cumsum(lengths)
    inside = np.ones(len(characters), bool)
    inside[ends - 1] = False  # a trigram does not run on into the next text
    inside[ends - 2] = False
    starts = np.flatnonzero(inside)
    codes = characters[starts] << 2 * _BITS | characters[starts + 1] << _BITS | characters[starts + 2]
    offsets = np.zeros(len(texts) + 1, np.uint64)
    offsets[1:] = np.cumsum(lengths - 2)
    return codes, offsets


def _code(trigram: str) -> int:
    first, second, third = map(ord, trigram)
    return first << 2 * _BITS | second << _BITS | third


def _trigram(code: int) -> str:
    mask = (1 << _BITS) - 1
    return chr(code >> 2 * _BITS) + chr(code >> _BITS & mask) + chr(code & mask)
