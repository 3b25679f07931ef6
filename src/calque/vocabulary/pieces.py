"""The pieces of one text with the words they come from, for whoever wants to show them."""

from __future__ import annotations

import re
from typing import NamedTuple

# Where every vocabulary splits. The rarer kinds of space may stay inside a word.
_WORD = re.compile(r"[^ \t\n\r\u00a0\u3000]+")


class Piece(NamedTuple):
    """Piece("▁dog", 1234, 1) comes from "dogs", which is word 1 of "Two dogs"."""

    text: str  # as the vocabulary writes it
    row: int | None  # None: unknown, and so left out of averages
    word: int


# Scripts of languages that put no spaces between words; there each piece counts for one.
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")


def begins_word(piece: str, kind: str) -> bool:
    """
    >>> [begins_word(piece, "sp") for piece in ("▁run", "ning", "猫")]
    [True, False, True]
    """
    return kind != "sp" or piece.startswith("▁") or bool(_UNSPACED.search(piece))


def says_nothing(piece: str, kind: str) -> bool:
    """True for SentencePiece's bare word boundary, which may be all that is known of a text in a foreign script.

    >>> says_nothing("▁", "sp")
    True
    """
    return kind == "sp" and piece.rpartition(":")[2] == "▁"  # a language's own is called es:▁


def spaced_words(text: str) -> list[str]:
    """
    >>> spaced_words("It isn't  5 p.m.!")
    ['It', "isn't", '5', 'p.m.!']
    """
    return _WORD.findall(text)


def word_spans(text: str) -> list[tuple[int, int]]:
    """Where each of them begins and ends."""
    return [match.span() for match in _WORD.finditer(text)]
