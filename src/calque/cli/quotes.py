"""Texts with spaces that were given without quotation marks: the shell hands over their words one by one."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence, Set

_TWO_TEXTS = ("A dog runs.", "Un perro corre.")
_ENDS = re.compile(r"[.?!…。？！]$")  # of a sentence
_UNSAFE = re.compile(r'["$`\\!]')  # within double quotation marks, for some shell


def quoted(text: str) -> str:
    """One argument for a shell; double quotation marks, which all shells know, where they will do.

    >>> quoted("it"), quoted("is it?"), quoted('a "word"')
    ('it', '"is it?"', '\\'a "word"\\'')
    """
    if _UNSAFE.search(text):
        return shlex.quote(text)
    return text if shlex.quote(text) == text else f'"{text}"'


def joined(
    command: str, arguments: Sequence[str], extra: Sequence[str], text_options: Set[str] = frozenset()
) -> str | None:
    """The command with the extra words joined to the one before them; None if they do not read as one text.

    `text_options` are those whose value may be a text, such as `--text`.

    >>> joined("calque search query", ["index", "where", "is", "it", "-k", "3"], ["is", "it"])
    'calque search query index "where is it" -k 3'
    """
    begin = _place(arguments, extra)
    if begin is None or begin == 0 or arguments[begin - 1].startswith("-"):
        return None
    if begin > 1 and arguments[begin - 2].startswith("-") and arguments[begin - 2] not in text_options:
        return None
    words = [arguments[begin - 1], *extra]
    if any(" " in word for word in words):  # there were quotation marks, but around too many texts
        return None
    whole = [*arguments[: begin - 1], " ".join(words), *arguments[begin + len(extra) :]]
    return " ".join([command, *map(quoted, whole)])


def two_texts(command: str, words: Sequence[str]) -> str:
    """The command with two texts: the user's, if the words are two sentences, or else an example.

    >>> two_texts("calque explain", ["It", "rains.", "Llueve."])
    'calque explain "It rains." Llueve.'
    """
    ends = [place for place, word in enumerate(words[:-1], start=1) if _ENDS.search(word)]
    texts = (" ".join(words[: ends[0]]), " ".join(words[ends[0] :])) if len(ends) == 1 else _TWO_TEXTS
    return " ".join([command, *map(quoted, texts)])


def _place(arguments: Sequence[str], extra: Sequence[str]) -> int | None:
    """The place of the words among the arguments, if they follow one another there."""
    size = len(extra)
    return next((at for at in range(len(arguments)) if list(arguments[at : at + size]) == list(extra)), None)
