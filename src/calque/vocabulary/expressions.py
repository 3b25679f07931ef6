"""Regular expressions that cannot backtrack for ever.

The time to match one grows with the text's length to the power of the repeats in a row. It is multiplied by the ways
of each choice in a row, and grows exponentially where a repeat holds a choice or another repeat. Definitions in use
have few in a row, and none inside a repeat.
"""

from __future__ import annotations

import math
import re

LONGEST = 1 << 18  # characters
MOST_REPEATS = 3  # in a row
MOST_CHOICES = 12  # in a row, each weighted by the base-2 logarithm of its ways
_SMALL = 16  # times that something may be repeated without counting as a repeat

_BOUNDS = re.compile(r"\{(\d*)(,?)(\d*)\}")
_ESCAPE = re.compile(r"\\(?:[xo]\{[0-9A-Fa-f]+\}|[pP]\{[^{}()|]*\}|.)", re.DOTALL)
_OPENING = re.compile(r"\((?:\?(?:[:=!>]|<[=!]|<\w+>|'\w+'|[ims-]+[:)])|(?!\?))")
# References, and escapes that take the next character with them.
_REFUSED = re.compile(r"\\(?:[gkcCM]|[1-9])")

Item = tuple[int, float]  # repeats and choices of what a quantifier would apply to
_PLAIN: Item = (0, 0.0)
_QUANTIFIED: Item = (1, 1.0)


class _Level:
    """What has been seen inside a pair of parentheses."""

    def __init__(self) -> None:
        self.repeats, self.choices = 0, 0.0  # in a row, in the alternative under way
        self._most_repeats, self._most_choices = 0, 0.0
        self._alternatives = 1

    def next_alternative(self) -> None:
        self._end_alternative()
        self.repeats, self.choices = 0, 0.0
        self._alternatives += 1

    def totals(self) -> Item:
        """Repeats and choices in a row, seen from outside."""
        self._end_alternative()
        return self._most_repeats, self._most_choices + math.log2(self._alternatives)

    def add(self, repeats: int, choices: float) -> None:
        self.repeats += repeats
        self.choices += choices
        if self.repeats > MOST_REPEATS or self.choices > MOST_CHOICES:
            raise ValueError(
                f"has more than {MOST_REPEATS} repeats or {MOST_CHOICES} choices in a row, "
                "which may take a time out of all proportion"
            )

    def _end_alternative(self) -> None:
        self._most_repeats = max(self._most_repeats, self.repeats)
        self._most_choices = max(self._most_choices, self.choices)


def check_expression(expression: str) -> None:
    """
    Raises:
        ValueError: matching may take a time out of all proportion; the message goes on from "it".
    """
    if len(expression) > LONGEST:
        raise ValueError(f"has {len(expression):,} characters, expected at most {LONGEST:,}")
    levels, item, at = [_Level()], _PLAIN, 0
    while at < len(expression):
        if refused := _REFUSED.match(expression, at):
            raise ValueError(f"has {refused[0]!r}, which Calque does not allow")
        character, end = expression[at], at + 1
        quantifier = _times(expression, at)
        if quantifier is not None:
            least, most, end = quantifier
            levels[-1].add(*_repeated(item, least, most))
            item = _QUANTIFIED
        elif character == "\\":
            match = _ESCAPE.match(expression, at)
            end, item = match.end() if match else end, _PLAIN
        elif character == "[":
            end, item = _after_class(expression, at), _PLAIN
        elif character == "(":
            match = _OPENING.match(expression, at)
            if match is None:  # conditions, comments, free spacing, callouts, absent groups
                raise ValueError(f"has {expression[at : at + 4]!r}, which Calque does not allow")
            end = match.end()
            if expression[end - 1] != ")":
                levels.append(_Level())
        elif character == ")" and len(levels) > 1:
            item = levels.pop().totals()
            levels[-1].add(*item)
        elif character == "|":
            levels[-1].next_alternative()
            item = _PLAIN
        else:
            item = _PLAIN
        at = end


def _times(expression: str, at: int) -> tuple[float, float, int] | None:
    """How often a quantifier at this place repeats, and where it ends; None if there is none."""
    character, end = expression[at], at + 1
    if character == "{":
        match = _BOUNDS.match(expression, at)
        if match is None or not (match[1] or match[3]):
            return None
        least = float(match[1] or 0)
        most = float(match[3]) if match[3] else math.inf if match[2] else least
        return least, most, match.end() + expression.startswith("?", match.end())
    if character not in "*+?":
        return None
    end += expression.startswith(("?", "+"), end)  # lazy or possessive
    return (1.0 if character == "+" else 0.0), (1.0 if character == "?" else math.inf), end


def _repeated(item: Item, least: float, most: float) -> Item:
    """Repeats and choices that a quantifier adds to those of the item itself."""
    repeats, choices = item
    if most > _SMALL:
        if repeats or choices:
            raise ValueError("repeats what holds a choice or a repeat itself, which may be tried for ever")
        return 1, 0
    more = max(int(most) - 1, 0)
    return more * repeats, more * choices + math.log2(max(most - least, 0) + 1)


def _after_class(expression: str, at: int) -> int:
    """The place behind a class in brackets, which may hold others."""
    depth, at = 1, at + 1
    at += expression.startswith("^", at)
    at += expression.startswith("]", at)
    while at < len(expression) and depth:
        if expression[at] == "\\":
            if refused := _REFUSED.match(expression, at):
                raise ValueError(f"has {refused[0]!r}, which Calque does not allow")
            match = _ESCAPE.match(expression, at)
            at = match.end() if match else at + 1
            continue
        depth += {"[": 1, "]": -1}.get(expression[at], 0)
        at += 1
    return at
