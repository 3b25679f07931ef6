"""Which of the neighbours are pairs: their scores, a threshold, and what to expect of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..corpus.identity import Identities
from ..errors import CorpusError
from ..neighbours import Margin
from ..neighbours.matching import Candidates, Matches, retrieve, score_candidates
from ..neighbours.nearest import BothWays
from ..thresholds import Calibration, Choice
from .config import MiningConfig
from .estimate import JUDGE, estimate
from .known_pairs import Known
from .pile import PileSummary


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
    doubt: str  # the reason why precision or recall cannot be estimated; empty if both can
    recall: float | None  # share of the nearest neighbours that were found, measured; None: all of them
    most_shared: int  # pairs that the most popular sentence of either side is in

    def as_dict(self) -> dict[str, Any]:
        sides = {name: side.as_dict() for name, side in (("source", self.source), ("target", self.target))}
        return sides | {
            "candidates": self.candidates,
            "pairs": self.pairs,
            "threshold": self.threshold,
            "expected": self.expected.as_dict() if self.expected else None,
            "evidence": self.evidence,
            "doubt": self.doubt,
            "search": "exact" if self.recall is None else "approximate",
            "search_recall": self.recall,
            "most_shared": self.most_shared,
        }


def choose(
    found: BothWays,
    identities: tuple[Identities, Identities],
    config: MiningConfig,
    known: Known | None = None,
    doubt: str = "",
) -> Chosen:
    """Score all candidates, match them and take a threshold.

    `known` are translations that the estimate is made from. With a `doubt` about the model,
    the text alone is not believed.

    Raises:
        CorpusError: a threshold was to be told from too few pairs.
    """
    candidates = _candidates(found, identities, config, config.margin)
    judged = candidates if config.margin == JUDGE else _candidates(found, identities, config, JUDGE)
    calibration = estimate(candidates, judged, doubt, known)
    matches = retrieve(candidates, config.retrieval)
    threshold = config.threshold
    if threshold == "auto":
        if calibration is None:
            raise CorpusError(
                f"{len(matches):,} pairs are too few to tell a threshold from",
                hint="give a number instead of auto",
            )
        threshold = calibration.best().threshold
    expected = None
    if calibration is not None:
        expected = calibration.best() if threshold is None else calibration.at(threshold)
    kept = len(matches) if threshold is None else int(np.count_nonzero(matches.score >= threshold))
    return Chosen(matches, kept, threshold, expected, calibration)


def _candidates(
    found: BothWays, identities: tuple[Identities, Identities], config: MiningConfig, margin: Margin
) -> Candidates:
    candidates = score_candidates(found, margin, config.k)
    return candidates if config.keep_copies else candidates.without_same(*identities)


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
        _doubt(chosen),
        recall,
        max(_most_shared(matches.source[:kept]), _most_shared(matches.target[:kept])),
    )


def _doubt(chosen: Chosen) -> str:
    if chosen.calibration is None or (chosen.expected and chosen.expected.is_told):
        return ""
    return chosen.calibration.trust.doubt


def _most_shared(sentences: Any) -> int:
    return int(np.bincount(sentences).max()) if len(sentences) else 0
