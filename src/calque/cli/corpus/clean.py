from __future__ import annotations

import json
import sys
import time
from typing import Any

import click

from ...corpus.cleaning import PRESETS, RULES, Report
from .. import options
from ..progress import ProgressLine


def _rules_help() -> str:
    """Every rule with its limits under the presets, as a paragraph that click leaves alone."""
    width = max(len(rule.name) for rule in RULES)
    lines = ["\b", f"{'rule':<{width}}  light  strict  drops pairs with"]
    for rule in RULES:
        cells = [_limit(PRESETS[preset], rule.name) for preset in ("light", "strict")]
        lines.append(f"{rule.name:<{width}}  {cells[0]:>5}  {cells[1]:>6}  {rule.summary}")
    return "\n".join(lines)


def _limit(limits: dict[str, float | None], name: str) -> str:
    if name not in limits:
        return ""
    limit = limits[name]
    return "yes" if limit is None else f"{limit:g}"


@click.command(epilog=_rules_help())
@options.bitext
@options.outs
@click.option("--preset", type=click.Choice(list(PRESETS)), default="light", show_default=True, help="Which rules.")
@click.option(
    "--rule",
    "rules",
    multiple=True,
    metavar="NAME[=LIMIT]",
    help="Add a rule, or change its limit; module:function names one of your own. May be repeated.",
)
@click.option("--without", multiple=True, metavar="NAME", help="Leave a rule out, or mojibake. May be repeated.")
@click.option("--rejected", metavar="FILE", help="Write what was dropped as TSV: rule, source, target.")
@click.option("--report", metavar="FILE", help="Write the report as JSON; - is standard output.")
@options.reading
@options.to
@options.as_json
@options.threads
def clean(
    bitext: tuple[str, ...],
    outs: tuple[str, ...],
    preset: str,
    rules: tuple[str, ...],
    without: tuple[str, ...],
    rejected: str | None,
    report: str | None,
    as_json: bool,
    threads: int | None,
    **reading: Any,
) -> None:
    """Keep the pairs that look like translations, and report on the others.

    Rules are asked in the order below; the first that does not accept a pair drops it. Before that, mojibake (cafÃ©) is
    mended where it is safe, unless the preset is none. Duplicates are known by their hashes, in bounded memory.

    \b
    calque corpus clean noisy.en-es.tsv.gz -o clean.en-es.tsv.gz
    calque corpus clean noisy.tmx --languages en es --preset strict --rejected dropped.tsv -o clean.tsv
    calque corpus clean noisy.tsv --rule length-ratio=2 --rule my_rules:no_urls --without identical -o clean.tsv
    """
    from ...atomic import write_text
    from ...errors import UsageError
    from ...tasks.clean import clean_file

    if as_json or report == "-":
        if "-" in outs:
            raise UsageError("the pairs and the report cannot both go to standard output", hint="pass --report FILE")
        report = report or "-"
    line, begun = ProgressLine(), time.monotonic()

    def watch(now: Report) -> None:
        rate = now.read / max(time.monotonic() - begun, 1e-9)
        line.show(f"{now.read:,} pairs, {now.kept:,} kept, {rate:,.0f} pairs/s")

    done = clean_file(
        bitext, outs, preset, rules=rules, without=without, rejected=rejected, threads=threads, watch=watch, **reading
    )
    line.clear()
    described = json.dumps(done.as_dict(), ensure_ascii=False, indent=2)
    if report == "-":
        click.echo(described)
    elif report:
        write_text(report, described + "\n")
    _print(done)


def _print(report: Report) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console(file=sys.stderr, highlight=False)
    share = report.kept / report.read if report.read else 0.0
    console.print(f"{report.kept:,} of {report.read:,} pairs kept ({share:.1%})")
    counted = [(name, count) for name, count in report.dropped.items() if count.count]
    if report.repaired.count:
        counted.append(("mojibake (mended)", report.repaired))
    if counted:
        table = Table("rule", "pairs", "examples", box=None, pad_edge=False)
        table.columns[1].justify = "right"
        for name, count in counted:
            for at, example in enumerate(count.examples):
                first = (name, f"{count.count:,}") if at == 0 else ("", "")
                table.add_row(*first, Text(" ⇥ ".join(_short(side) for side in example)))
        console.print(table)
    for rule, reason in report.skipped.items():
        console.print(f"{rule}: not checked; it {reason}", markup=False)
    if report.forgotten:
        console.print(f"{report.forgotten:,} pairs were beyond the memory for duplicates: some repeats may be left")


def _short(text: str, most: int = 60) -> str:
    """On one line, with what a terminal would act on made visible."""
    plain = "".join(each if each.isprintable() else "\ufffd" for each in " ".join(text.split()))
    return plain if len(plain) <= most else f"{plain[: most - 1]}…"
