"""Near lines that say something else: a negation, an opposite or a number is in one of them alone.

An average of pieces hardly sees these. Lines whose letters the model does not know are near for no reason at all. The
check errs on the side of keeping: a wrong answer keeps a line.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from .lexicon import BESIDE, COUNTED, Lexicon, Mark, Reading, lexicon

Reason = Literal["negation", "opposite", "number", "unread"]
REASONS: tuple[Reason, ...] = get_args(Reason)
Reads = Callable[[str, str | None], bool]
Codes = npt.NDArray[np.int8]  # of reasons, from 1 on; 0 of none

_PLACEHOLDER = re.compile(
    r"%(?:\d+\$|\(\w+\))?[-+0#]*\d*(?:\.\d+)?l{0,2}[sdifuxXgeco@](?!\w)|%\d+|%[A-Z][A-Z_]+%?|\$\{\w+\}|\$\(\w+\)|\{\w*\}"
)


class Contrast:
    """Tells pairs of rows apart, each side in its language.

    `reads` says whether the model knows the letters of a text. Without `words`, that alone counts.
    """

    def __init__(
        self, languages: Sequence[str | None] = (None,), reads: Reads | None = None, *, words: bool = True
    ) -> None:
        self._languages = tuple(languages)
        self._reads = reads
        self._words = words

    def codes(self, first: Sequence[tuple[str, ...]], second: Sequence[tuple[str, ...]]) -> Codes:
        """Return for each pair of rows the code of the reason why they differ; any side's will do."""
        reasons = (self._reason(one, two) for one, two in zip(first, second, strict=True))
        return np.fromiter((code_of(reason) for reason in reasons), np.int8, len(first))

    def _reason(self, first: tuple[str, ...], second: tuple[str, ...]) -> Reason | None:
        sides = list(zip(first, second, self._languages, strict=True))
        if self._words:
            for one, two, language in sides:
                if found := contrast(one, two, lexicon(language)):
                    return found
        return None if all(self._is_read(*side) for side in sides) else "unread"

    def _is_read(self, one: str, two: str, language: str | None) -> bool:
        return self._reads is None or (self._reads(one, language) and self._reads(two, language))


def code_of(reason: Reason | None) -> int:
    return REASONS.index(reason) + 1 if reason else 0


def contrast(one: str, two: str, words: Lexicon) -> Reason | None:
    """Return why two texts differ, or None. Numbers in digits are compared elsewhere, before any text is read.

    >>> contrast("You must sign.", "You must not sign.", lexicon("en"))
    'negation'
    >>> contrast("Open the door.", "Please close the door.", lexicon("en"))
    'opposite'
    """
    if one == two:
        return None
    if _placeholders(one) != _placeholders(two):
        return "number"
    first, second = words.read(one), words.read(two)
    if _negations(first.marks) != _negations(second.marks):
        return "negation"
    exchanged = _exchanged(first.marks, second.marks)
    if exchanged - {"number"} or _affixed(first, second, words):
        return "opposite"
    return "number" if exchanged else None


def _placeholders(text: str) -> Counter[str]:
    return Counter(_PLACEHOLDER.findall(text)) if "%" in text or "{" in text or "$" in text else Counter()


def _negations(marks: Counter[Mark]) -> int:
    """Count them; "nunca" beside "no" is no negation of its own."""
    return max(marks[Mark("negation", COUNTED)], min(marks[Mark("negation", BESIDE)], 1))


def _exchanged(one: Counter[Mark], two: Counter[Mark]) -> set[str]:
    """Return the kinds of which one text has a member that the other lacks, and the other way round."""
    gone = {mark.kind for mark in one - two}
    return {mark.kind for mark in two - one if mark.kind in gone} - {"negation"}


def _affixed(one: Reading, two: Reading, words: Lexicon) -> bool:
    """Tell if a word of one text stands in the other with an affix: "able" and "unable", "careful" and "careless"."""
    first, second = set(one.words - two.words), set(two.words - one.words)
    return bool(first and second) and any(
        not opposites.isdisjoint(others)
        for mine, others in ((first, second), (second, first))
        for opposites in map(words.without_affix, mine)
    )
