"""Sides that are not in their language."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from .. import identification
from ..expectation import Expectation
from .measures import Batch, Scores
from .rule import Rule


@dataclass(frozen=True)
class WrongLanguage(Rule):
    """Judge both sides by the batch's languages, or by what is `expected` of them, which takes less time."""

    limit: float = identification.SURE
    expected: tuple[Expectation, Expectation] | None = None

    name = "wrong-language"
    adjustable = True
    summary = "a side in another language, with more certainty than the limit (20 letters or more)"
    needs_languages = True

    def score(self, batch: Batch) -> Scores:
        scores = np.zeros(len(batch))
        for at, expectation in enumerate(self.expected or _by_name(batch)):
            scores = np.maximum(scores, expectation.certainties([pair[at] for pair in batch.pairs]))
        return scores

    def missing(self) -> str | None:
        return None if identification.available() else f"needs a language identifier: {identification.HINT}"


def _by_name(batch: Batch) -> list[Expectation]:
    """What the languages alone say: every side has to be looked at."""
    return [Expectation(each if identification.is_known(each) else None) for each in batch.languages or ()]


def informed(rules: tuple[Rule, ...], expected: tuple[Expectation, Expectation]) -> tuple[Rule, ...]:
    """Tell the rule for languages, if it is among some rules, what is expected of the sides."""
    return tuple(replace(rule, expected=expected) if isinstance(rule, WrongLanguage) else rule for rule in rules)
