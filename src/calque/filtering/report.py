"""What filtering did: what went for which reason, how the rest scored, and what to expect of what was kept."""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from ..corpus.cleaning import Report
from ..thresholds import Choice
from .calibration import Estimate
from .scores import Scored, Scores
from .selection import places_from_the_top

QUANTILES = (0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99)
EXAMPLES = 3
_LONGEST = 300  # characters of an example's side


@dataclass
class FilterReport:
    score: str
    cleaning: Report = field(default_factory=Report)  # what the rules did; it kept what was scored
    kept: int = 0
    threshold: float = math.nan
    expected: Choice | None = None  # of the threshold; None if there was too little to estimate it from
    estimate: Estimate | None = None
    quantiles: dict[str, float] = field(default_factory=dict)  # of all scores
    below: list[Scored] = field(default_factory=list)  # dropped, from the highest score on
    above: list[Scored] = field(default_factory=list)  # kept, from the lowest score on
    unknown_languages: tuple[str, ...] = ()  # that the model was not trained on
    signature: str = ""

    @property
    def read(self) -> int:
        return self.cleaning.read

    @property
    def low(self) -> int:
        """Pairs that were dropped for their score."""
        return self.cleaning.kept - self.kept

    @property
    def wrong(self) -> dict[str, float] | None:
        """The estimated share of each kind of wrong pair among all pairs; None where it cannot be estimated."""
        return self.estimate.shares if self.estimate and self._is_told else None

    @property
    def wrong_left(self) -> float | None:
        """The share of the pairs estimated to be wrong that the threshold lets through."""
        if self.estimate is None or self.expected is None or not self._is_told:
            return None
        return self.estimate.calibration.wrong_left(self.expected.threshold)

    @property
    def doubt(self) -> str:
        """The reason why precision or recall cannot be estimated; empty if both can."""
        return self.estimate.calibration.trust.doubt if self.estimate else ""

    @property
    def _is_told(self) -> bool:
        return self.expected is not None and (self.expected.precision, self.expected.precision_range) != (None, None)

    def note(self, kept: Iterable[Scored], dropped: Iterable[Scored]) -> None:
        """Remembers the pairs nearest to the threshold."""
        self.above = heapq.nsmallest(EXAMPLES, [*self.above, *kept], key=lambda pair: pair.score)
        self.below = heapq.nlargest(EXAMPLES, [*self.below, *dropped], key=lambda pair: pair.score)

    def as_dict(self) -> dict[str, Any]:
        cleaning = self.cleaning.as_dict()
        expected = self.expected
        return {
            "read": self.read,
            "kept": self.kept,
            "dropped": cleaning["dropped"],
            "low_score": {"count": self.low, "examples": [_shown(pair) for pair in self.below]},
            "lowest_kept": [_shown(pair) for pair in self.above],
            "score": self.score,
            "quantiles": self.quantiles,
            "threshold": self.threshold if math.isfinite(self.threshold) else None,
            "expected": expected.as_dict() if expected else None,
            "doubt": self.doubt,
            "wrong_left": self.wrong_left,
            "wrong": self.wrong,
            "evidence": self.estimate.calibration.evidence if self.estimate else None,
            "repaired": cleaning["repaired"],
            "skipped": cleaning["skipped"],
            "forgotten": cleaning["forgotten"],
            "unknown_languages": list(self.unknown_languages),
            "signature": self.signature,
        }


def _shown(pair: Scored) -> list[Any]:
    cut = [side if len(side) <= _LONGEST else f"{side[:_LONGEST]}…" for side in pair[:2]]
    return [round(pair.score, 4), *cut]


def quantiles(read: Callable[[], Iterable[Scores]], scored: int) -> dict[str, float]:
    """`{"0.5": median, …}`, exact; empty if there is no score."""
    if not scored:
        return {}
    places = places_from_the_top(read, [scored - round(share * (scored - 1)) for share in QUANTILES])
    return {f"{share:g}": round(place.value, 4) for share, place in zip(QUANTILES, places, strict=True)}
