"""The development sets that choose the recipe, and how sure a difference on them is."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from statistics import mean

import numpy as np
import numpy.typing as npt

import calque
from calque.corpus import read_scored_pairs
from calque.evaluation.bootstrap import RESAMPLES, interval
from calque.evaluation.correlation import resampled_pearson

Numbers = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Scores:
    """What one model reaches. `cosines` are those of STS-B's pairs, by language or by language with English."""

    gold: Numbers
    mono: dict[str, Numbers]
    across: dict[str, list[Numbers]]  # with the English sentence first, and second
    sts_2012: float
    flores: float
    bucc: float

    @cached_property
    def row(self) -> dict[str, float]:
        own = {language: self._pearson([cosines]) for language, cosines in self.mono.items()}
        other = {language: self._pearson(cosines) for language, cosines in self.across.items()}
        return {
            "en": own["en"],
            "es": own["es"],
            "es-en": other["es"],
            "mono": mean(own.values()),
            "across": mean(other.values()),
            "STS 2012": self.sts_2012,
            "FLORES": self.flores,
            "BUCC": self.bucc,
        }

    def difference(self, base: Scores) -> tuple[float, float, float]:
        """By how much the mean of `mono` and `across` is above that of `base`, with its 95 % interval.

        Pairs are drawn anew, the same ones for both models and all languages.
        """
        n = len(self.gold)
        drawn = np.random.default_rng(1).integers(n, size=(RESAMPLES, n))
        counts = np.stack([np.ones(n), *(np.bincount(each, minlength=n) for each in drawn)]).astype(np.float64)
        gained = self._both(counts) - base._both(counts)
        ends = interval(gained[1:])
        assert ends is not None  # there are draws
        return float(gained[0]), ends.low, ends.high

    def _both(self, counts: Numbers) -> Numbers:
        own = [resampled_pearson(cosines, self.gold, counts) for cosines in self.mono.values()]
        other = [resampled_pearson(each, self.gold, counts) for both in self.across.values() for each in both]
        return np.asarray(50 * (np.mean(own, axis=0) + np.mean(other, axis=0)))

    def _pearson(self, cosines: list[Numbers]) -> float:
        once = np.ones((1, len(self.gold)))
        return 100 * mean(float(resampled_pearson(each, self.gold, once)[0]) for each in cosines)


def measured(model: calque.Model, evaluation: Path) -> Scores:
    pairs = {
        path.name.removesuffix("-dev.tsv"): read_scored_pairs(path)
        for path in sorted((evaluation / "stsb").glob("*-dev.tsv"))
    }
    sides = {
        language: tuple(model.encode([pair[side] for pair in some], normalize=True) for side in (0, 1))
        for language, some in pairs.items()
    }
    english = sides["en"]
    return Scores(
        gold=np.array([pair.score for pair in pairs["en"]]),
        mono={language: _cosines(*both) for language, both in sides.items()},
        across={
            language: [_cosines(english[0], both[1]), _cosines(both[0], english[1])]
            for language, both in sides.items()
            if language != "en"
        },
        sts_2012=_mean(model, "sts", evaluation / "sts-train", "pearson"),
        flores=_mean(model, "retrieval", evaluation / "flores200-dev", "accuracy"),
        bucc=_best_f1(model, evaluation / "bucc" / "de-en"),
    )


def _cosines(first: npt.NDArray[np.float32], second: npt.NDArray[np.float32]) -> Numbers:
    return np.einsum("ij,ij->i", first, second).astype(np.float64)


def _mean(model: calque.Model, suite: str, folder: Path, measure: str) -> float:
    return mean(row.values[measure] for row in calque.evaluate(model, suite, folder, resamples=2).results)


def _best_f1(model: calque.Model, folder: Path) -> float:
    found = calque.evaluate(model, "bucc", folder, resamples=2).results
    return max(row.values["f1"] for row in found if "f1" in row.values)
