"""Mining F1 as the BUCC shared task defines it: of the pairs put forward, and of the true ones, how many are both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..neighbours.margin import Margin
from ..neighbours.matching import Matches, match_neighbours
from ..neighbours.nearest import nearest
from .bootstrap import Counts, Values, replicate
from .result import Result
from .sets.bucc import MiningSet
from .subject import Subject

NEIGHBOURS = 4
SCORINGS: dict[str, Margin] = {"ratio": "ratio", "distance": "distance", "cosine": "absolute"}
ORACLE = "oracle: best on this very set"


class PrecisionRecall(NamedTuple):
    precision: float
    recall: float
    f1: float


def precision_recall(right: float, found: float, gold: float) -> PrecisionRecall:
    """Shares of 1; 0 where there is nothing to divide by."""
    precision, recall = right / found if found else 0.0, right / gold if gold else 0.0
    return PrecisionRecall(precision, recall, 2 * right / (found + gold) if found + gold else 0.0)


@dataclass(frozen=True)
class Mined:
    """Candidate pairs of one set, best first, and which of them are true."""

    matches: Matches
    right: npt.NDArray[np.bool_]
    gold: int

    def best_threshold(self) -> float:
        """The lowest score to keep for the highest F1; of equal ones the highest. Infinite if no pair is right."""
        if not self.right.any():
            return float("inf")
        score = self.matches.score
        f1 = 2 * np.cumsum(self.right) / (np.arange(1, len(score) + 1) + self.gold)
        whole = np.append(score[1:] != score[:-1], True)  # pairs of one score are kept or dropped together
        return float(score[np.argmax(np.where(whole, f1, -1))])


def mine(subject: Subject, data: MiningSet) -> dict[str, Mined]:
    """Candidates by each scoring, from one search."""
    source = subject.unit_vectors(data.source, data.languages[0])
    target = subject.unit_vectors(data.target, data.languages[1])
    found = nearest(source, target, NEIGHBOURS)
    mined = {}
    for name, margin in SCORINGS.items():
        matches = match_neighbours(found, margin)
        ids = zip(matches.source.tolist(), matches.target.tolist(), strict=True)
        right = [(data.source_ids[one], data.target_ids[two]) in data.gold for one, two in ids]
        mined[name] = Mined(matches, np.array(right, bool), len(data.gold))
    return mined


def measure_mining(subject: Subject, suite: str, sets: Sequence[MiningSet], resamples: int) -> list[Result]:
    """Each set but the training split with the threshold that is best on the training split, if that is there."""
    results = []
    for pair in dict.fromkeys(each.pair for each in sets):
        splits = {each.split: each for each in sets if each.pair == pair}
        mined = {split: mine(subject, data) for split, data in splits.items()}
        for split, data in splits.items():
            for scoring, candidates in mined[split].items():
                chosen_on = "training" if "training" in splits and split != "training" else split
                threshold = mined[chosen_on][scoring].best_threshold()
                source = ORACLE if chosen_on == split else splits[chosen_on].name
                name = f"{suite}:{data.name}:{scoring}"
                results.append(_result(subject, name, data, candidates, threshold, source, resamples))
    return results


def _result(
    subject: Subject, name: str, data: MiningSet, mined: Mined, threshold: float, source: str, resamples: int
) -> Result:
    kept = mined.matches.score >= threshold
    of = _by_sentence(data, mined, kept)

    def statistic(counts: Counts) -> dict[str, Values]:
        each = zip(counts @ of.right, counts @ of.found, counts @ of.gold, strict=True)
        values = 100 * np.array([precision_recall(*numbers) for numbers in each])
        return dict(zip(PrecisionRecall._fields, values.T, strict=True))

    values, replicates = replicate(statistic, name, len(of.right), resamples if len(data.gold) else 0)
    notes = {
        "threshold": round(threshold, 4) if np.isfinite(threshold) else None,
        "threshold_from": source,
        "gold": len(data.gold),
        "found": int(kept.sum()),
    }
    return Result(name, len(data.source), subject.signature(name, len(data.source)), values, replicates, notes)


class _BySentence(NamedTuple):
    """Numbers of pairs of each source sentence: what is resampled, and the same for every model."""

    right: Values
    found: Values
    gold: Values


def _by_sentence(data: MiningSet, mined: Mined, kept: npt.NDArray[np.bool_]) -> _BySentence:
    place = {id: at for at, id in enumerate(data.source_ids)}
    size = len(data.source_ids)
    chosen = mined.matches.source[kept]
    found = np.bincount(chosen, minlength=size).astype(np.float64)
    right = np.bincount(chosen, weights=mined.right[kept], minlength=size).astype(np.float64)
    gold = np.bincount([place[one] for one, _ in data.gold], minlength=size).astype(np.float64)
    return _BySentence(right, found, gold)
