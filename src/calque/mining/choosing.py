"""Which of the neighbours are pairs: their scores, a threshold, and what to expect of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..corpus.identity import Identities
from ..errors import CorpusError
from ..neighbours.matching import Matches, retrieve, score_candidates
from ..neighbours.nearest import BothWays
from ..thresholds import Calibration, Choice
from ..thresholds.calibration import Numbers
from .config import MiningConfig
from .known_pairs import calibrate_on_known
from .pile import PileSummary
from .wrong_pairs import calibrate_on_itself


class Chosen(NamedTuple):
    """The first `kept` of the matches are taken."""

    matches: Matches
    kept: int
    threshold: float | None
    expected: Choice | None  # of that threshold, or of the best one if none was asked for
    calibration: Calibration | None


@dataclass(frozen=True)
class MiningReport:
    source: PileSummary
    target: PileSummary
    candidates: int  # before the threshold
    pairs: int
    threshold: float | None
    expected: Choice | None  # of that threshold, or of the best one if none was asked for
    evidence: str
    recall: float | None  # share of the nearest neighbours that were found, measured; None: all of them
    most_shared: int  # pairs that the most popular sentence of either side is in

    def as_dict(self) -> dict[str, Any]:
        sides = {name: side.as_dict() for name, side in (("source", self.source), ("target", self.target))}
        return sides | {
            "candidates": self.candidates,
            "pairs": self.pairs,
            "threshold": self.threshold,
            "expected": self.expected._asdict() if self.expected else None,
            "evidence": self.evidence,
            "search": "exact" if self.recall is None else "approximate",
            "search_recall": self.recall,
            "most_shared": self.most_shared,
        }


def choose(
    found: BothWays, identities: tuple[Identities, Identities], config: MiningConfig, known: Numbers | None = None
) -> Chosen:
    """`known` are the scores of known translations, on which the threshold is calibrated.

    Raises:
        CorpusError: a threshold was to be told from too few pairs.
    """
    candidates = score_candidates(found, config.margin, config.k)
    if not config.keep_copies:
        candidates = candidates.without_same(*identities)
    calibration = calibrate_on_itself(candidates) if known is None else calibrate_on_known(candidates, known)
    matches = retrieve(candidates, config.retrieval)
    threshold = config.threshold
    if threshold == "auto":
        if calibration is None:
            raise CorpusError(
                f"{len(matches):,} pairs are too few to tell a threshold from",
                hint="give a number, or known translations with --calibrate",
            )
        threshold = calibration.best().threshold
    expected = None
    if calibration is not None:
        expected = calibration.best() if threshold is None else calibration.at(threshold)
    kept = len(matches) if threshold is None else int(np.count_nonzero(matches.score >= threshold))
    return Chosen(matches, kept, threshold, expected, calibration)


def report_of(chosen: Chosen, source: PileSummary, target: PileSummary, recall: float | None) -> MiningReport:
    matches, kept = chosen.matches, chosen.kept
    return MiningReport(
        source,
        target,
        len(matches),
        kept,
        chosen.threshold,
        chosen.expected,
        chosen.calibration.evidence if chosen.calibration else "",
        recall,
        max(_most_shared(matches.source[:kept]), _most_shared(matches.target[:kept])),
    )


def _most_shared(sentences: Any) -> int:
    return int(np.bincount(sentences).max()) if len(sentences) else 0
