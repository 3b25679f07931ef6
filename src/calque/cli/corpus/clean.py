from __future__ import annotations

import sys
import time
from typing import Any

import click

from ...corpus.cleaning import Report
from .. import options
from ..progress import ProgressLine
from ..rules import CommandWithRules, preset, rules, without
from ..visible import on_one_line, shortened

MENDED = "mojibake, mended"
_LANGUAGE_RULES = ("wrong-script", "wrong-language")


@click.command(cls=CommandWithRules)
@options.bitext
@options.outs
@preset("light")
@rules
@without
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
    from ...corpus.writing import open_output, require_different
    from ...tasks.clean import clean_file

    reports = ([report] if report else []) + (["-"] if as_json and report != "-" else [])
    require_different([*outs, *([rejected] if rejected else []), *reports])
    begun = time.monotonic()
    with ProgressLine() as line:

        def watch(now: Report) -> None:
            rate = now.read / max(time.monotonic() - begun, 1e-9)
            line.show(f"{now.read:,} pairs, {now.kept:,} kept, {rate:,.0f} pairs/s")

        done = clean_file(
            bitext,
            outs,
            preset,
            rules=rules,
            without=without,
            rejected=rejected,
            threads=threads,
            watch=watch,
            **reading,
        )
    for place in reports:
        with open_output(place) as file:
            file.write(f"{options.as_json_text(done.as_dict())}\n".encode())
    _print(done)


def _print(report: Report) -> None:
    from rich.console import Console
    from rich.table import Column, Table
    from rich.text import Text

    console = Console(file=sys.stderr, highlight=False)
    share = report.kept / report.read if report.read else 0.0
    console.print(f"{report.kept:,} of {report.read:,} pairs kept ({share:.1%})")
    counted = [(name, count) for name, count in report.dropped.items() if count.count]
    if report.repaired.count:
        counted.append((MENDED, report.repaired))
    if counted:
        table = Table(Column("rule", no_wrap=True), Column("pairs", justify="right"), "examples", box=None)
        table.pad_edge = False
        for name, count in counted:
            for at, example in enumerate(count.examples):
                first = (name, f"{count.count:,}") if at == 0 else ("", "")
                table.add_row(*first, Text(_mending(example) if name == MENDED else on_one_line(example)))
        console.print(table)
    foreign = sum(report.dropped[name].count for name in _LANGUAGE_RULES if name in report.dropped)
    if foreign > report.read / 2:
        console.print("most pairs are in other languages than said: are the sides swapped, or --languages wrong?")
    for rule, reason in report.skipped.items():
        console.print(f"{rule}: not checked; it {reason}", markup=False)
    if report.forgotten:
        console.print(f"{report.forgotten:,} pairs were beyond the memory for duplicates: some repeats may be left")


def _mending(example: tuple[str, ...]) -> str:
    """What was changed, before and after."""
    changed = [(old, new) for old, new in zip(example[:2], example[2:], strict=True) if old != new]
    return ", ".join(f"{shortened(old)} → {shortened(new)}" for old, new in changed)
