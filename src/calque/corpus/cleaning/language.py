"""Sides that are not in their language."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .. import identification
from .measures import Batch, Scores
from .rule import Rule


@dataclass(frozen=True)
class WrongLanguage(Rule):
    limit: float = identification.SURE

    name = "wrong-language"
    adjustable = True
    summary = "a side in another language, with more certainty than the limit (20 letters or more)"
    needs_languages = True

    def score(self, batch: Batch) -> Scores:
        scores = np.zeros(len(batch))
        for at, language in enumerate(batch.languages or ()):
            if not identification.is_known(language):
                continue
            for index, found in enumerate(identification.identify(pair[at] for pair in batch.pairs)):
                if identification.are_told_apart(language, found.language):
                    scores[index] = max(scores[index], found.certainty)
        return scores

    def missing(self) -> str | None:
        return None if identification.available() else f"needs a language identifier: {identification.HINT}"
