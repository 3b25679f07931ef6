"""What a recipe is chosen by: STS-B dev and FLORES dev in English and Spanish, and how sure a difference is."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from common import DATA

import calque
from calque.corpus import read_scored_pairs

COLUMNS = ["change", "en", "es", "es-en", "mean's difference", "FLORES es-en"]
TITLE = "STS-B dev, Pearson × 100, and FLORES dev, accuracy"


class Judged(NamedTuple):
    cosines: list[npt.NDArray[np.float32]]  # of STS-B's pairs: English, Spanish, one of each
    flores: float


def judged(model: calque.Model) -> Judged:
    english, spanish = (read_scored_pairs(DATA / f"eval/stsb/{language}-dev.tsv") for language in ("en", "es"))
    first, second = ([pair.first for pair in english], [pair.second for pair in english])
    cosines = [
        model.similarities(first, second),
        model.similarities([pair.first for pair in spanish], [pair.second for pair in spanish]),
        model.similarities(first, [pair.second for pair in spanish]),
    ]
    flores = calque.evaluate(model, "retrieval", DATA / "eval/flores200-dev", only=["spa_Latn-eng_Latn"])
    return Judged(cosines, flores["spa_Latn-eng_Latn"].values["accuracy"])


def row(name: str, result: Judged, base: Judged | None = None) -> list[str]:
    """One of the table's; with `base`, how far the mean of the three is from it, and the 95 % interval of that."""
    gold = np.array([pair.score for pair in read_scored_pairs(DATA / "eval/stsb/en-dev.tsv")])
    scores = [f"{100 * np.corrcoef(cosines, gold)[0, 1]:.1f}" for cosines in result.cosines]
    gained = "" if base is None else _difference(base, result, gold)
    return [name, *scores, gained, f"{result.flores:.1f}"]


def _difference(base: Judged, changed: Judged, gold: npt.NDArray[np.float64], resamples: int = 1000) -> str:
    """Pairs are drawn anew, the same ones for both models and all three sets."""
    draw = np.random.default_rng(1)

    def mean_at(result: Judged, at: npt.NDArray[np.int64]) -> float:
        return float(np.mean([100 * np.corrcoef(cosines[at], gold[at])[0, 1] for cosines in result.cosines]))

    def gain(at: npt.NDArray[np.int64]) -> float:
        return mean_at(changed, at) - mean_at(base, at)

    gains = [gain(draw.integers(len(gold), size=len(gold))) for _ in range(resamples)]
    low, high = np.quantile(gains, [0.025, 0.975])
    return f"{gain(np.arange(len(gold))):+.1f} ({low:+.1f} … {high:+.1f})"
