"""The language that lines are expected in, and which of them are surely in another."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from .identification import SURE, Identified, are_told_apart, identify, is_known, majority
from .screening import Places, Screen, Text

SIZE = 768  # lines of a sample
_FEWEST_LETTERS_TO_COUNT = 5
_MANY = 0.1  # share in other languages from which each line is judged: the screen would not know what is usual
_HALF = 0.5
_NEARLY_ALL = 0.9
MIXED = 0.25  # share in other languages from which lines are taken to be meant to be in several


class Named(NamedTuple):
    """A language that is expected: as the user says, or else as a file's name says."""

    told: str | None = None
    by_name: str | None = None


@dataclass(frozen=True)
class Expectation:
    """`language` is None if lines are not judged; `mixed` has the shares of other languages if these are the reason."""

    language: str | None = None
    limit: float = SURE
    screen: Screen | None = None
    mixed: dict[str, float] = field(default_factory=dict)

    def others(self, text: Text, begin: Places, end: Places) -> dict[int, str]:
        """Return the lines that are surely in another language, and that language.

        `text` is UTF-8 in which the lines begin and end at those places.
        """
        if self.language is None:
            return {}
        suspects = np.flatnonzero(self.screen.suspects(text, begin, end)) if self.screen else np.arange(len(begin))
        lines = [text[begin[at] : end[at]].tobytes().decode("utf-8", "replace") for at in suspects]
        return {
            int(at): found.language
            for at, found in zip(suspects, identify(lines), strict=True)
            if self._is_other(found)
        }

    def certainties(self, lines: Sequence[str]) -> npt.NDArray[np.float64]:
        """Return how certain it is of each line that it is in another language; 0 if it does not look so."""
        found = np.zeros(len(lines))
        if self.language is not None and lines:
            suspects = np.flatnonzero(self.screen.suspects_among(lines)) if self.screen else np.arange(len(lines))
            for at, each in zip(suspects, identify(lines[int(at)] for at in suspects), strict=True):
                found[at] = each.certainty if are_told_apart(self.language, each.language) else 0.0
        return found

    def _is_other(self, found: Identified) -> bool:
        return found.certainty >= self.limit and are_told_apart(self.language or "", found.language)


def expect(sample: Sequence[str], named: Named, most: float = MIXED) -> Expectation:
    """Return what to expect of the text that a sample of lines is drawn from.

    A language that was not told by the user gives way where a larger share than `most` of the sample is in others: the
    name may be wrong, or the text is meant to hold several.
    """
    identified = identify(sample)
    by_name = named.by_name if named.by_name and is_known(named.by_name) else None
    language = named.told or by_name or majority(_with_short_ones(sample, identified))
    if language is None or not is_known(language):
        return Expectation()
    others = [each.certainty >= SURE and are_told_apart(language, each.language) for each in identified]
    judged = sum(bool(each.language) for each in identified)
    if named.told is None and sum(others) > most * judged:
        # Lines in the language itself may be too short to be judged, as in a list of menus.
        every = _with_short_ones(sample, identified)
        judged = sum(others) + sum(
            bool(each.language) and not are_told_apart(language, each.language) for each in every
        )
        if sum(others) > most * judged:
            counts = Counter(each.language for each, other in zip(identified, others, strict=True) if other)
            return Expectation(mixed={name: round(count / judged, 3) for name, count in counts.most_common()})
    if len(sample) < SIZE or sum(others) > _MANY * judged:
        return Expectation(language)
    # A line that is in another language by a slim chance only would teach the screen that such lines are usual.
    rest = [line for line, each in zip(sample, identified, strict=True) if not are_told_apart(language, each.language)]
    return Expectation(language, screen=Screen.of(rest))


def most_of(mixed: Mapping[str, float]) -> str | None:
    """Return the language that more than half of the lines are in, though the name of their file says another."""
    return next((language for language, share in mixed.items() if share > _HALF), None)


def is_mixture(mixed: Mapping[str, float]) -> bool:
    """Return True if there are other languages, and nearly all lines are in none of them."""
    return 0 < max(mixed.values(), default=0.0) < _NEARLY_ALL


def _with_short_ones(sample: Sequence[str], identified: Sequence[Identified]) -> Sequence[Identified]:
    """Guess at short lines, too: good enough for counting, not for a verdict on one of them."""
    short = [line for line, each in zip(sample, identified, strict=True) if not each.language]
    guessed = iter(identify(short, _FEWEST_LETTERS_TO_COUNT))
    return [each if each.language else next(guessed) for each in identified]


class LineSample:
    """The lines with the smallest identities: the same ones in whatever parts the lines come."""

    def __init__(self, size: int = SIZE) -> None:
        self.size = size
        self._lines: dict[int, str] = {}

    def add(self, lines: Sequence[str], known: npt.NDArray[np.uint64]) -> None:
        """Add lines with their identities (see `identity.py`, which builds on the cleaning that uses this)."""
        distinct, first = np.unique(known, return_index=True)
        for identity, at in zip(distinct[: self.size].tolist(), first[: self.size].tolist(), strict=True):
            self._lines.setdefault(identity, lines[at])
        self._cut()

    def join(self, later: dict[str, str]) -> None:
        """Add the sample of lines that come after these, as `as_dict` gives it."""
        for known, line in later.items():
            self._lines.setdefault(int(known), line)
        self._cut()

    def lines(self) -> list[str]:
        return list(self._lines.values())

    def as_dict(self) -> dict[str, str]:
        return {str(known): line for known, line in self._lines.items()}

    def _cut(self) -> None:
        kept = sorted(self._lines)[: self.size]
        self._lines = {known: self._lines[known] for known in kept}
