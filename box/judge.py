"""How good the packed model is, on every set there is, and what packing cost."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from statistics import mean
from typing import Any

from calque import Model
from calque.corpus import read_scored_pairs
from calque.corpus.languages import standard
from calque.corpus.scored import ScoredPair
from calque.evaluation.correlation import pearson
from calque.evaluation.evaluate import Evaluation, evaluate
from calque.evaluation.result import Result
from calque.model.quality import LanguageQuality

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
    held_out: dict[str, Result]  # of languages that no test set covers: pairs kept out of the training text

    def score(self, suite: str, name: str) -> float | None:
        try:
            return self.packed[suite][name].values[SUITES[suite][1]]
        except KeyError:
            return None


def judged(packed: Model, exact: Model, evaluation: Path, held_out: dict[str, Path]) -> Report:
    def measured(model: Model, suites: Iterable[str]) -> dict[str, Evaluation]:
        return {suite: evaluate(model, suite, evaluation / SUITES[suite][0]) for suite in suites}

    english = read_scored_pairs(evaluation / "stsb" / "en-dev.tsv")
    across = {
        path.name.removesuffix("-dev.tsv"): _across(packed, read_scored_pairs(path), english)
        for path in sorted((evaluation / "stsb").glob("*-dev.tsv"))
        if path.name != "en-dev.tsv"
    }
    own = {language: evaluate(packed, "retrieval", folder).results[0] for language, folder in held_out.items()}
    return Report(measured(packed, SUITES), measured(exact, DEVELOPMENT), across, own)


def _across(model: Model, theirs: list[ScoredPair], ours: list[ScoredPair]) -> float:
    """STS-B's translations have the same pairs in the same order, so sentences of two languages can be paired."""
    gold = [pair.score for pair in ours]
    sides = [
        ([pair.first for pair in ours], [pair.second for pair in theirs]),
        ([pair.first for pair in theirs], [pair.second for pair in ours]),
    ]
    return 100 * mean(pearson(model.similarities(*pair), gold) for pair in sides)


def qualities(report: Report, recipe: dict[str, Any], date: str) -> list[LanguageQuality]:
    """The model's quality in each language of the recipe that Tatoeba or pairs kept out have a test of."""
    measured = {row.name.partition(":")[2]: row for row in report.packed["tatoeba"].results}
    made = []
    for code, (_, *test) in recipe["languages"].items():
        row = measured.get(f"{test[0]}-eng") if test else report.held_out.get(code)
        if row is not None:
            ways = row.values["forward"], row.values["backward"]
            made.append(LanguageQuality(standard(code) or code, "en", *ways, row.n, row.name, date))
    return made
