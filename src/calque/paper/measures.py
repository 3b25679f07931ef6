"""What the tables measure of a model."""

from __future__ import annotations

from collections.abc import Sequence

from ..evaluation.evaluate import evaluate
from ..model import Model
from .library import Library
from .workshop import Score, Scores

TRACKS = {  # the paper's column: the set
    "ar-ar": "track1.ar-ar",
    "ar-en": "track2.ar-en",
    "es-es": "track3.es-es",
    "es-en": "track4a.es-en",
    "en-en": "track5.en-en",
    "tr-en": "track6.tr-en",
}


def sts_mean(model: Model, library: Library) -> Scores:
    """The mean of all sets of STS 2012–2016."""
    found = evaluate(model, "sts", library.evaluation)
    return {"mean": Score.of(found.rows[-1], "pearson")}  # one set alone is its own mean


def sts17(model: Model, library: Library, columns: Sequence[str]) -> Scores:
    found = evaluate(model, "sts17", library.evaluation, only=[TRACKS[column] for column in columns])
    return {column: Score.of(found[TRACKS[column]], "pearson") for column in columns}


def bucc(model: Model, library: Library, pair: str) -> Scores:
    """F1 by scoring at the best threshold, on the training split only if a pair has no other."""
    rows = evaluate(model, "bucc", library.evaluation, only=[pair]).results
    results = [row for row in rows if not row.name.endswith(":auto")]
    chosen = [result for result in results if ".training:" not in result.name] or results
    return {result.name.rpartition(":")[2]: Score.of(result, "f1") for result in chosen}
