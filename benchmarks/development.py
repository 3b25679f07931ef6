"""What a recipe is chosen by: STS-B dev and FLORES dev in English and Spanish, and how sure a difference is."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from common import DATA

import calque
from calque.corpus import read_scored_pairs
from calque.evaluation.bootstrap import RESAMPLES, interval
from calque.evaluation.correlation import resampled_pearson

COLUMNS = ["change", "en", "es", "es-en", "mean's difference", "FLORES es-en"]
TITLE = "STS-B dev, Pearson × 100, and FLORES dev, accuracy"


class Judged(NamedTuple):
    gold: npt.NDArray[np.float64]
    cosines: list[npt.NDArray[np.float32]]  # of STS-B's pairs: English, Spanish, one of each
    flores: float

    def pearsons(self, counts: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """(3, draws): of the three, with each pair as often as a row of `counts` says."""
        each = [resampled_pearson(cosines.astype(np.float64), self.gold, counts) for cosines in self.cosines]
        return 100 * np.stack(each)


def judged(model: calque.Model) -> Judged:
    english, spanish = (read_scored_pairs(DATA / f"eval/stsb/{language}-dev.tsv") for language in ("en", "es"))
    first, second = ([pair.first for pair in english], [pair.second for pair in english])
    cosines = [
        model.similarities(first, second),
        model.similarities([pair.first for pair in spanish], [pair.second for pair in spanish]),
        model.similarities(first, [pair.second for pair in spanish]),
    ]
    flores = calque.evaluate(model, "retrieval", DATA / "eval/flores200-dev", only=["spa_Latn-eng_Latn"])
    gold = np.array([pair.score for pair in english])
    return Judged(gold, cosines, flores["spa_Latn-eng_Latn"].values["accuracy"])


def row(name: str, result: Judged, base: Judged | None = None) -> list[str]:
    """One of the table's; with `base`, how far the mean of the three is from it, and the 95 % interval of that."""
    scores = [f"{score:.1f}" for score in result.pearsons(np.ones((1, len(result.gold))))[:, 0]]
    return [name, *scores, "" if base is None else _difference(base, result), f"{result.flores:.1f}"]


def _difference(base: Judged, changed: Judged) -> str:
    """Pairs are drawn anew, the same ones for both models and all three sets; the first row is the pairs themselves."""
    n = len(base.gold)
    drawn = np.random.default_rng(1).integers(n, size=(RESAMPLES, n))
    counts = np.stack([np.ones(n), *(np.bincount(each, minlength=n) for each in drawn)])
    gained = (changed.pearsons(counts) - base.pearsons(counts)).mean(axis=0)
    ends = interval(gained[1:])
    assert ends is not None  # there are draws
    return f"{gained[0]:+.1f} ({ends.low:+.1f} … {ends.high:+.1f})"
