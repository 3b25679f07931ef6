"""How good the packed model is, on every set there is, and what packing cost."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import calque
from calque import Model
from calque.corpus import read_scored_pairs
from calque.evaluation.evaluate import Evaluation, evaluate

# Suite: its folder under eval/, and the measure that is told.
SUITES = {
    "sts17": ("sts17", "pearson"),
    "sts": ("sts", "pearson"),
    "stsb": ("stsb", "pearson"),
    "tatoeba": ("tatoeba", "accuracy"),
    "retrieval": ("flores200-dev", "accuracy"),
    "bucc": ("bucc/de-en", "f1"),
}
DEVELOPMENT = ("stsb", "retrieval")  # what packing may be judged by


@dataclass(frozen=True)
class Report:
    """Evaluations by suite; and of the development suites, what the exact rows reach."""

    packed: dict[str, Evaluation]
    exact: dict[str, Evaluation]
    across: dict[str, float]  # STS-B dev with one sentence in English and the other not, by language: Pearson × 100

    def score(self, suite: str, name: str) -> float | None:
        try:
            return self.packed[suite][name].values[SUITES[suite][1]]
        except KeyError:
            return None


def judged(packed: Path, evaluation: Path, exact: Model) -> Report:
    def measured(model: Path | Model, suites: Any) -> dict[str, Evaluation]:
        return {suite: evaluate(model, suite, evaluation / SUITES[suite][0]) for suite in suites}

    across = {
        path.name.removesuffix("-dev.tsv"): _across(calque.load(packed), path, evaluation / "stsb" / "en-dev.tsv")
        for path in sorted((evaluation / "stsb").glob("*-dev.tsv"))
        if path.name != "en-dev.tsv"
    }
    return Report(measured(packed, SUITES), measured(exact, DEVELOPMENT), across)


def _across(model: Model, path: Path, english: Path) -> float:
    """STS-B's translations have the same pairs in the same order, so sentences of two languages can be paired."""
    theirs, ours = read_scored_pairs(path), read_scored_pairs(english)
    gold = [pair.score for pair in ours]
    sides = [
        ([pair.first for pair in ours], [pair.second for pair in theirs]),
        ([pair.first for pair in theirs], [pair.second for pair in ours]),
    ]
    return float(100 * np.mean([np.corrcoef(model.similarities(*pair), gold)[0, 1] for pair in sides]))
