"""Bitext without the pairs that do not translate each other, as a model sees it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from pathlib import Path

import numpy as np

from ..batches import batches as in_batches
from ..corpus import Columns, Languages, Pair, find_bitexts
from ..corpus.cleaning import Cleaning
from ..corpus.cleaning.clean import BATCH, NO_OBJECTION
from ..corpus.languages import require_standard
from ..corpus.writing import output_format, output_paths, require_different
from ..filtering import Keep, Scored, decide, estimate, score_named
from ..filtering.decision import AUTO, Threshold
from ..filtering.judge import Judge
from ..filtering.pool import SIZE as POOL
from ..filtering.report import FilterReport
from ..filtering.sample import SIZE as SAMPLE
from ..filtering.sample import sample_of
from ..filtering.scores import Scores, require_score
from ..filtering.spool import spooling
from ..model import Model, as_model
from ..model.familiarity import FILTERING, sides_of_pairs, warn_of_languages
from ..pictures import require_pictures
from ..thresholds.plot import plot_calibration
from .filter_decision import Wanted, one_way_to_decide, report_of, require_some_left, settle
from .filter_passes import Outputs, Watch, judge_all, on_disk, right_pairs, sample_all, write_kept
from .filter_rules import PRESET, filter_evidence, filter_rules, languages_expected, with_languages
from .inputs import Paths, as_paths, open_all, spare_inputs

_HEAD = 4 * SAMPLE  # pairs that a stream is judged by


def filter(
    pairs: Iterable[tuple[str, str]],
    model: Model | str | Path | None = None,
    *,
    score: str = "margin",
    threshold: Threshold = AUTO,
    languages: Sequence[str] = (),
    preset: str = PRESET,
    rules: Sequence[str] = (),
    without: Sequence[str] = (),
    threads: int | None = None,
) -> Iterator[Scored]:
    """The pairs that translate each other as (source, target, score), streamed.

    Examples:
        >>> pairs = [("A dog runs.", "Un perro corre."), ("A dog runs.", "La casa es roja.")]
        >>> for source, target, score in calque.filter(pairs, threshold=0.1):
        ...     print(source, target, round(score, 2))
        A dog runs. Un perro corre. 0.39

    The first 16,384 pairs stand for all: from them come the sentences that a margin is measured against, and the
    threshold.

    Args:
        pairs: Such as `calque.read_bitext` gives.
        model: A model, or its folder; without it, the one that `calque.load()` opens.
        score: `margin`, a cosine less what its strongest rival has, or `cosine`.
        threshold: The lowest score to keep; `auto` estimates it, `float("-inf")` keeps all that the rules accept.
        languages: Two codes; some rules need them, and models with a vocabulary for each language.
        preset: Rules to clean by first, as for `calque.clean`, and `wrong-language` where the extra `language` is
            installed; `none` for none. So are `rules` and `without`.
        rules: More rules, or other limits.
        without: Rules of the preset to leave out.
        threads: As many as there are cores, unless given.

    Raises:
        CorpusError: fewer than 200 pairs, and no threshold given; or by their scores none is a translation.
        UsageError: no such score, preset or rule, or a language that the model does not know.
    """
    opened = as_model(model)
    known = require_standard(languages) if languages else None
    opened.require_vocabularies(known or ())
    cleaning = filter_rules(preset, rules, without, known)
    require_score(score)
    return _streamed((Pair(*pair) for pair in pairs), opened, cleaning, score, threshold, known, threads)


def _streamed(
    pairs: Iterator[Pair],
    model: Model,
    cleaning: Cleaning,
    score: str,
    threshold: Threshold,
    languages: Languages | None,
    threads: int | None,
) -> Iterator[Scored]:
    head = list(islice(pairs, _HEAD))
    sample = sample_of(head)
    warn_of_languages(model, *sides_of_pairs(head, languages), expect=FILTERING)
    expected = languages_expected(sample, languages or (), languages)
    cleaning = with_languages(cleaning, expected)
    judge = Judge(cleaning, score_named(score, model, sample[:POOL], languages, threads), languages, threads)
    first = _judged(judge, head)
    scores = _scores(first)
    evidence = filter_evidence(sample, cleaning, expected, languages, threads)
    estimated = estimate(judge.score, scores, evidence) if threshold == AUTO and head else None
    decision = decide(lambda: [scores], len(scores), threshold, None, estimated) if head else None
    for batch in chain([first], (_judged(judge, some) for some in in_batches(pairs, BATCH))):
        if decision:
            yield from (batch[at] for at in np.flatnonzero(decision.accept(_scores(batch))))


def _judged(judge: Judge, pairs: list[Pair]) -> list[Scored]:
    verdict = judge.judge(pairs)
    left = np.flatnonzero(verdict.objections == NO_OBJECTION)
    mended = judge.again(pairs)
    return [Scored(*mended[at], score) for at, score in zip(left.tolist(), verdict.scores.tolist(), strict=True)]


def _scores(pairs: Sequence[Scored]) -> Scores:
    return np.array([pair.score for pair in pairs], np.float32)


def filter_file(
    model: Model,
    bitext: Paths,
    out: Paths,
    *,
    score: str = "margin",
    threshold: Threshold | None = None,
    keep: Keep | str | int | None = None,
    calibrate: str | Path | None = None,
    preset: str = PRESET,
    rules: Sequence[str] = (),
    without: Sequence[str] = (),
    languages: Sequence[str] = (),
    columns: Columns | None = None,
    format: str | None = None,
    to: str | None = None,
    rejected: str | Path | None = None,
    plot: str | Path | None = None,
    threads: int | None = None,
    watch: Watch = lambda doing, pairs: None,
) -> FilterReport:
    """Writes the pairs of one or more bitexts that are worth keeping, in their order, and reports on the others.

    The corpus is read three times: to take a sample, to judge, and to write; standard input is copied first. A TSV gets
    the score as its last column, other formats hold the pairs alone. `keep` ("80%" or a number) takes the best of those
    that the rules accept; otherwise `threshold` decides, which is estimated unless given. `calibrate` names a bitext of
    right pairs that makes the estimate better. `rejected` names a TSV for what is dropped: reason, score, source,
    target.

    Raises:
        UsageError: both `keep` and `threshold`; an output that is an input or another output.
        CorpusError: nothing to filter, or too little to estimate a threshold from.
    """
    best = one_way_to_decide(keep, threshold)
    outs, drawn = as_paths(out), [str(place) for place in (rejected, plot) if place is not None]
    output_format(outs, to)
    require_different([*outs, *drawn])
    if plot is not None:
        require_pictures(plot)
    model.require_vocabularies(require_standard(languages) if languages else ())
    require_score(score)
    with on_disk(as_paths(bitext)) as paths, spooling() as spool:
        bitexts = find_bitexts(paths, languages, columns, format)
        with open_all(bitexts) as reading:
            known = reading.languages
            spare_inputs([*output_paths(outs, known, to), *drawn], [*paths, *as_paths(calibrate or ())])
            cleaning = filter_rules(preset, rules, without, known)
            sample = sample_all(reading.batches, watch)
        warn_of_languages(model, *sides_of_pairs(sample, known), expect=FILTERING)
        expected = languages_expected(sample, languages, known)
        cleaning = with_languages(cleaning, expected)
        right = None if calibrate is None else right_pairs(str(calibrate), known)
        judge = Judge(cleaning, score_named(score, model, sample[:POOL], known, threads), known, threads)
        judge_all(judge, bitexts, spool, watch)
        wanted = Wanted(score, threshold, best, plot is not None)
        require_some_left(judge.report, wanted)
        evidence = filter_evidence(sample, cleaning, expected, known, threads)
        settled = settle(wanted, judge.score, spool, evidence, right)
        report = report_of(settled, wanted, judge.report, model, known, [bitext.name for bitext in bitexts])
        write_kept(judge, bitexts, spool, settled.decision, report, Outputs(outs, to, known, rejected), watch)
        if plot is not None and settled.estimate is not None:
            plot_calibration(settled.estimate.calibration, settled.scores, plot, score)
    return report
