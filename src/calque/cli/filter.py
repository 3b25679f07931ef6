from __future__ import annotations

import math
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from ..errors import UsageError
from . import engine, options
from .command import command
from .engine import cluster, on_cluster, refuse, require_folder, watch
from .manner import is_quiet, note, warn
from .places import FILE
from .progress import Progress
from .rules import CommandThatChecksLanguages, preset, rules, without
from .visible import on_one_line

if TYPE_CHECKING:
    from ..model import Model

SCORES = ("margin", "cosine")  # filtering.scores, unimported
_HALF = 0.5
_WORTH_A_WARNING = 0.03  # share of wrong pairs
_DOING = {"read": "reading, 1 of 3", "scored": "scoring, 2 of 3", "written": "writing, 3 of 3"}


class _Threshold(click.ParamType[Any]):
    name = "X"

    def convert(self, value: Any, param: click.Parameter | None, context: click.Context | None) -> Any:
        if value == "auto":
            return value
        try:
            number = float(value)
        except ValueError:
            number = math.nan
        if math.isnan(number):
            self.fail(f"expected a number or auto, got {value!r}", param, context)
        return number


@command(
    cls=CommandThatChecksLanguages,
    examples={
        "calque filter noisy.en-de.tsv -o kept.tsv": "at an estimated threshold",
        "calque filter corpus.en corpus.de -o kept.en -o kept.de --model my-model --keep 80%": "",
        "zcat noisy.gz | calque filter - -o kept.tsv.gz --preset strict --rejected dropped.tsv": "",
        "calque filter noisy.en-de.tsv -o kept.tsv --calibrate clean.en-de.tsv --plot curve.png": "",
        "calque filter shards/ --engine ray --address auto -o kept/": "over a cluster",
    },
    rivals=[{"keep", "threshold"}],
)
@options.bitext
@options.outs
@options.model
@click.option("--score", type=click.Choice(SCORES), default="margin", show_default=True, help="How pairs are judged.")
@click.option(
    "--threshold",
    type=_Threshold(),
    help="Keep pairs that score as much or more; auto estimates the best F1.  [default: auto]",
)
@click.option(
    "--keep", metavar="N|P%", help="Keep the best so many, or the best share, of the pairs that the rules accept."
)
@click.option(
    "--calibrate",
    type=FILE,
    metavar="FILE",
    help="A bitext of right pairs (200 or more), for a better estimate of what is wrong.",
)
@preset("light")
@rules
@without
@click.option(
    "--rejected", type=FILE, metavar="FILE", help="Write what was dropped as TSV: reason, score, source, target."
)
@click.option(
    "--plot",
    type=FILE,
    metavar="FILE",
    help="Draw the estimated precision and recall over the threshold (png, svg, pdf).",
)
@options.reading
@options.to
@engine.options
@options.as_json
@options.threads
def filter(
    bitext: tuple[str, ...],
    outs: tuple[str, ...],
    model: str | None,
    threshold: Any,
    as_json: bool,
    engine: str,
    address: str | None,
    **given: Any,
) -> None:
    """Keep the pairs that translate each other, as a model sees it, in their order.

    The margin is the pair's cosine less three quarters of its strongest rival's: the nearest of a thousand other
    sentences of the corpus, or half of one of its own sides. Rules speak first, unless the preset is none: copies,
    repeated pairs and wrong scripts go, and sides in another language than their own where the extra language is
    installed (--without wrong-language keeps them). A pair with a blank side always goes.

    Without --threshold or --keep, the threshold is estimated: wrong pairs, unrelated ones and ones that lack half a
    side, are made from the corpus, to see how such pairs score and how many there are. Precision and recall are
    estimates too, and count such pairs only: what is partly right, like a translation that lacks a word, may pass.

    A TSV gets the score as a third column, and no other columns of the input: calque train --columns 1,2 reads it.
    Other formats hold the pairs alone. --json prints the report.
    """
    from ..corpus.writing import require_different
    from ..model import load
    from ..tasks.filter import filter_file

    if given["keep"] is not None and threshold is not None:
        raise UsageError("--keep and --threshold are two ways to decide", hint="choose one")
    opened = load(model)
    if on_cluster(engine, address):
        refuse(given, "plot")
        if given["rejected"] is not None:
            require_folder([given["rejected"]])
        _filter_shards(opened, bitext, require_folder(outs), address, as_json, threshold=threshold, **given)
        return
    require_different([*outs, *(["-"] if as_json else [])])
    with Progress(beside_data="-" in outs) as progress:
        progress.reading(bitext, "pairs", _DOING["read"])
        report = filter_file(opened, bitext, outs, threshold=threshold, watch=_watch(progress), **given)
    if as_json:
        click.echo(options.as_json_text(report.as_dict()))
    if not is_quiet():
        _print(report)
    _warn(report.as_dict(), chosen=threshold in (None, "auto") and given["keep"] is None)


def _filter_shards(
    model: Model,
    bitext: tuple[str, ...],
    out: str,
    address: str | None,
    as_json: bool,
    *,
    to: str | None,
    threads: int | None,
    plot: None,
    **given: Any,
) -> None:
    from ..cluster.filter import filter_shards
    from ..thresholds.words import estimated_shares, untold_shares

    with Progress() as progress, cluster(address, threads) as engine:
        report = filter_shards(model, bitext, out, engine, to=to, threads=threads or 1, watch=watch(progress), **given)
    if as_json:
        click.echo(options.as_json_text(report))
    share = report["kept"] / report["read"] if report["read"] else 0.0
    note(f"{out}: {report['kept']:,} of {report['read']:,} pairs kept ({share:.1%})")
    for rule, dropped in report["dropped"].items():
        if dropped["count"]:
            note(f"{rule}: {dropped['count']:,}")
    for rule, reason in report["skipped"].items():
        note(f"{rule}: not checked; it {reason}")
    note(f"low score: {report['low_score']['count']:,}")
    if report["expected"]:
        threshold = report["threshold"]
        if shares := estimated_shares(report["expected"]):
            note(f"{'no threshold' if threshold is None else f'threshold {threshold:.4f}'}: {shares}, estimated")
        if untold := untold_shares(report["expected"], report["doubt"]):
            note(untold)
    _warn(report, chosen=given["threshold"] in (None, "auto") and given["keep"] is None)


def _warn(report: dict[str, Any], chosen: bool) -> None:
    """`chosen`: the threshold is the estimate's, not the user's."""
    from ..corpus.identification import available

    skipped = report["skipped"].get("wrong-language")
    if skipped and available():  # so the reason is what was found
        warn(f"sides in another language are not looked for: Calque {skipped}")
    if not report["expected"]:
        return
    if report["wrong_left"] is None:
        if chosen:
            warn(
                f"what the threshold of {report['threshold']:.4f} lets through cannot be estimated: {report['doubt']}. "
                "--keep or --threshold decide otherwise"
            )
        return
    around = report["expected"]["precision_range"]
    if around is not None and sum(around) / 2 < _HALF:
        warn("by the estimate most pairs are wrong: are the two sides shifted or shuffled against each other?")
    wrong = sum(report["wrong"].values())
    left = report["wrong_left"]
    if left > _HALF and wrong >= _WORTH_A_WARNING:
        warn(
            f"the threshold is low: {left:.0%} of the pairs estimated to be wrong ({wrong:.0%} of all) stay. "
            "A higher --threshold drops more of them, and more right pairs, too"
        )


def _watch(progress: Progress) -> Callable[[str, int], None]:
    """Once all pairs have been read, their number is known."""
    now, total = "read", 0

    def watch(doing: str, pairs: int) -> None:
        nonlocal now, total
        if doing == "read":
            total = pairs
        elif doing != now:
            progress.stage(_DOING[doing], "pairs", total=total)
        now = doing
        progress.at(pairs)

    return watch


def _print(report: Any) -> None:
    from rich.console import Console
    from rich.table import Column, Table
    from rich.text import Text

    console = Console(file=sys.stderr, highlight=False, markup=False, emoji=False)
    share = report.kept / report.read if report.read else 0.0
    console.print(f"{report.kept:,} of {report.read:,} pairs kept ({share:.1%})")
    table = Table("", Column("pairs", justify="right"), "examples", box=None, pad_edge=False)
    for name, counted in report.cleaning.dropped.items():
        for at, example in enumerate(counted.examples):
            table.add_row(*((name, f"{counted.count:,}") if at == 0 else ("", "")), Text(on_one_line(example)))
    for name, count, pairs in (("low score", report.low, report.below), ("lowest kept", report.kept, report.above)):
        for at, (source, target, score) in enumerate(pairs):
            shown = Text(f"{score:.4f}  {on_one_line((source, target))}")
            table.add_row(*((name, f"{count:,}") if at == 0 else ("", "")), shown)
    if table.row_count:
        console.print(table)
    for line in _told(report):
        console.print(line, soft_wrap=True)


def _told(report: Any) -> list[str]:
    from ..thresholds.words import estimated_shares, untold_shares

    lines = []
    if report.quantiles:
        cells = ", ".join(f"{float(share):.0%} {value:.3f}" for share, value in report.quantiles.items())
        lines.append(f"{report.score}: {cells}")
    if math.isfinite(report.threshold):
        lines.append(f"threshold: {report.threshold:.4f}")
    if not report.expected:
        lines.append("too few pairs to estimate precision and recall")
    else:
        expected = report.expected.as_dict()
        shares, untold = estimated_shares(expected), untold_shares(expected, report.doubt)
        lines += [f"estimated: {shares}"] if shares else []
        lines += [untold] if untold else []
    if report.wrong is not None:
        wrong = " and ".join(f"{share:.1%} {kind}" for kind, share in report.wrong.items())
        lines.append(f"wrong in all, by estimate: {wrong} (from {report.estimate.calibration.evidence})")
    lines += [f"{rule}: not checked; it {reason}" for rule, reason in report.cleaning.skipped.items()]
    if report.cleaning.repaired.count:
        lines.append(f"mojibake mended in {report.cleaning.repaired.count:,} pairs")
    if report.cleaning.forgotten:
        lines.append(f"{report.cleaning.forgotten:,} pairs were beyond the memory for duplicates: some may be left")
    return lines
