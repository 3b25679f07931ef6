"""Mining F1 as the BUCC shared task defines it: of the pairs put forward, and of the true ones, how many are both.

Each scoring has two rows. One has the best threshold there is: chosen on the training split, or else by the gold pairs
of the same set, which no user has (an oracle). The other, `…:auto`, has the threshold that `--threshold auto` estimates
from the two texts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..corpus.identity import identities
from ..errors import CalqueError
from ..mining.choosing import choose
from ..mining.config import MiningConfig
from ..neighbours.margin import Margin
from ..neighbours.matching import Matches, retrieve, score_candidates
from ..neighbours.nearest import BothWays, nearest
from .bootstrap import Counts, Values, replicate
from .result import Result
from .sets.bucc import MiningSet
from .subject import Subject

NEIGHBOURS = 4
SCORINGS: dict[str, Margin] = {"ratio": "ratio", "distance": "distance", "cosine": "absolute"}
ORACLE = "oracle: best on this very set"
AUTOMATIC = "automatic: estimated from the two texts"
CANNOT_TELL = "automatic: cannot tell"


class Threshold(NamedTuple):
    """The lowest score to keep, None where there is none to name, and where it comes from."""

    score: float | None
    source: str


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
    automatic: Threshold

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
    found = nearest(source, target, MiningConfig(k=NEIGHBOURS).neighbours)
    mined = {}
    for name, margin in SCORINGS.items():
        matches = retrieve(score_candidates(found, margin, NEIGHBOURS), "max")
        ids = zip(matches.source.tolist(), matches.target.tolist(), strict=True)
        right = [(data.source_ids[one], data.target_ids[two]) in data.gold for one, two in ids]
        mined[name] = Mined(matches, np.array(right, bool), len(data.gold), _automatic(found, data, margin))
    return mined


def _automatic(found: BothWays, data: MiningSet, margin: Margin) -> Threshold:
    """The threshold of `calque mine --threshold auto` for these candidates; it never sees the gold pairs."""
    config = MiningConfig(margin=margin, k=NEIGHBOURS, threshold="auto", keep_copies=True)
    try:
        chosen = choose(found, (identities(data.source), identities(data.target)), config)
    except CalqueError as refusal:
        return Threshold(None, f"{CANNOT_TELL}, {refusal.message}")
    return Threshold(chosen.threshold, CANNOT_TELL if chosen.threshold is None else AUTOMATIC)


def measure_mining(subject: Subject, suite: str, sets: Sequence[MiningSet], resamples: int) -> list[Result]:
    """Each set by each scoring, with the best threshold and then with the automatic one.

    The best threshold is chosen on the training split, if there is one beside the set.
    """
    results = []
    for pair in dict.fromkeys(each.pair for each in sets):
        splits = {each.split: each for each in sets if each.pair == pair}
        mined = {split: mine(subject, data) for split, data in splits.items()}
        for split, data in splits.items():
            for scoring, candidates in mined[split].items():
                chosen_on = "training" if "training" in splits and split != "training" else split
                best = mined[chosen_on][scoring].best_threshold()
                source = ORACLE if chosen_on == split else splits[chosen_on].name
                name = f"{suite}:{data.name}:{scoring}"
                results.append(_result(subject, name, data, candidates, Threshold(best, source), resamples))
                automatic = candidates.automatic
                results.append(_result(subject, f"{name}:auto", data, candidates, automatic, resamples))
    return results


def _result(subject: Subject, name: str, data: MiningSet, mined: Mined, threshold: Threshold, resamples: int) -> Result:
    """The row of one threshold; without scores where there is no threshold to score."""
    signature = subject.signature(name, len(data.source))
    notes: dict[str, Any] = {"threshold": None, "threshold_from": threshold.source, "gold": len(data.gold)}
    if threshold.score is None:
        return Result(name, len(data.source), signature, {}, {}, notes)
    kept = mined.matches.score >= threshold.score
    of = _by_sentence(data, mined, kept)

    def statistic(counts: Counts) -> dict[str, Values]:
        each = zip(counts @ of.right, counts @ of.found, counts @ of.gold, strict=True)
        values = 100 * np.array([precision_recall(*numbers) for numbers in each])
        return dict(zip(PrecisionRecall._fields, values.T, strict=True))

    values, replicates = replicate(statistic, name, len(of.right), resamples if len(data.gold) else 0)
    if np.isfinite(threshold.score):
        notes["threshold"] = round(threshold.score, 4)
    return Result(name, len(data.source), signature, values, replicates, notes | {"found": int(kept.sum())})


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
