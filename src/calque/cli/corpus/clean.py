from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from .. import options
from ..command import command
from ..manner import is_quiet
from ..places import FILE
from ..progress import Progress
from ..rules import CommandWithRules, preset, rules, without
from ..visible import on_one_line, shortened

if TYPE_CHECKING:
    from ...corpus.cleaning import Report

MENDED = "mojibake, mended"
_LANGUAGE_RULES = ("wrong-script", "wrong-language")


@command(
    cls=CommandWithRules,
    examples={
        "calque corpus clean noisy.en-es.tsv.gz -o clean.en-es.tsv.gz": "",
        "calque corpus clean noisy.tmx --languages en es --preset strict --rejected dropped.tsv -o clean.tsv": "",
        "calque corpus clean noisy.tsv --rule length-ratio=2 --rule my_rules:no_urls -o clean.tsv": "",
    },
)
@options.bitext
@options.outs
@preset("light")
@rules
@without
@click.option("--rejected", type=FILE, metavar="FILE", help="Write what was dropped as TSV: rule, source, target.")
@click.option("--report", type=FILE, metavar="FILE", help="Write the report as JSON; - is standard output.")
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
    """
    from ...corpus.writing import open_output, require_different
    from ...tasks.clean import clean_file

    reports = ([report] if report else []) + (["-"] if as_json and report != "-" else [])
    require_different([*outs, *([rejected] if rejected else []), *reports])
    with Progress(beside_data="-" in outs) as progress:
        progress.reading(bitext, "pairs", "cleaning")

        def watch(now: Report) -> None:
            progress.at(now.read, f"{now.kept:,} kept")

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
    if not is_quiet():
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
