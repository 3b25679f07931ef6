"""What to keep once all pairs are judged, and what to say of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple, Protocol

from ..corpus import Languages, Pair
from ..corpus.cleaning import Report
from ..errors import CorpusError, UsageError
from ..filtering import Decision, Keep, decide, estimate
from ..filtering.calibration import FEWEST, Estimate
from ..filtering.decision import AUTO, Threshold
from ..filtering.evidence import Evidence
from ..filtering.report import FilterReport, quantiles
from ..filtering.scores import Score, Scores
from ..filtering.spool import sampled
from ..model import Model

_NAMED = 3  # rules


class Judged(Protocol):
    """All scores, as often as they are asked for."""

    scored: int

    def scores(self) -> Iterable[Scores]: ...


class Wanted(NamedTuple):
    """How the user wants it decided; `curve` says that an estimate is needed in any case."""

    score: str
    threshold: Threshold | None = None
    keep: Keep | None = None
    curve: bool = False


class Settled(NamedTuple):
    decision: Decision
    estimate: Estimate | None
    scores: Scores  # all, or some of very many
    quantiles: dict[str, float]


def one_way_to_decide(keep: Keep | str | int | None, threshold: Threshold | None) -> Keep | None:
    """
    Raises:
        UsageError: both are given.
    """
    if keep is not None and threshold is not None:
        raise UsageError("--keep and --threshold are two ways to decide", hint="choose one")
    return Keep.parse(keep) if isinstance(keep, str | int) else keep


def settle(
    wanted: Wanted, score: Score, judged: Judged, evidence: Evidence, right: Sequence[Pair] | None = None
) -> Settled:
    """`right` are pairs known to be translations.

    Raises:
        CorpusError: too little to estimate a threshold from, or to draw a curve.
    """
    scores = sampled(judged.scores(), judged.scored)
    estimated = estimate(score, scores, evidence, right)
    if wanted.curve and estimated is None:
        raise CorpusError(f"a curve cannot be drawn from fewer than {FEWEST} pairs", hint="leave out --plot")
    threshold = AUTO if wanted.threshold is None else wanted.threshold
    decision = decide(judged.scores, judged.scored, threshold, wanted.keep, estimated)
    return Settled(decision, estimated, scores, quantiles(judged.scores, judged.scored))


def require_some_left(cleaning: Report, wanted: Wanted) -> None:
    """
    Raises:
        CorpusError: the rules have left too little to estimate a threshold from.
    """
    estimates = wanted.keep is None and wanted.threshold in (None, AUTO)
    dropped = {name: counted.count for name, counted in cleaning.dropped.items() if counted.count}
    if not estimates or cleaning.kept >= FEWEST or cleaning.read < FEWEST:
        return
    most = ", ".join(f"{name} {dropped[name]:,}" for name in sorted(dropped, key=lambda name: -dropped[name])[:_NAMED])
    raise CorpusError(
        f"the rules have left {cleaning.kept:,} of {cleaning.read:,} pairs, and a threshold is estimated from "
        f"{FEWEST} or more: {most}",
        hint="are these the languages that --languages or the files' names say? --without RULE leaves out a rule, "
        "--threshold 0.2 or --keep 80% decide without an estimate",
    )


def report_of(
    settled: Settled,
    wanted: Wanted,
    cleaning: Report,
    model: Model,
    languages: Languages | None,
    names: Sequence[str],
) -> FilterReport:
    """What there is to say before anything is written; `names` are those of the bitexts."""
    threshold, estimated = settled.decision.threshold, settled.estimate
    return FilterReport(
        wanted.score,
        cleaning,
        threshold=threshold,
        expected=estimated.calibration.at(threshold) if estimated else None,
        estimate=estimated,
        quantiles=settled.quantiles,
        unknown_languages=model.unknown_among(languages or ()),  # no error: a file's name may mislead
        signature=model.signature("+".join(names), cleaning.read),
    )
