from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from ..errors import TrainingStopped
from . import options
from .progress import ProgressLine, duration

EXPERIMENTS = ("table1", "table2", "table3", "table4", "table5", "figure1", "all")  # paper.reproduce, unimported
_ENDLESS = 100_000  # columns


@click.command(epilog="Run again after Ctrl-C, it goes on where it stopped: what is done is never done twice.")
@click.argument("experiment", type=click.Choice(EXPERIMENTS))
@click.option("--data", required=True, metavar="DIR", help="The folder that holds bitext/ and eval/.")
@click.option(
    "--scale",
    default="small",
    show_default=True,
    metavar="N",
    help="small: a glance in minutes; full: all there is; or at most so many sentence pairs in a training.",
)
@click.option(
    "--out", "-o", metavar="DIR", help="Where tables, pictures and what lies between go.  [default: paper-SCALE]"
)
@options.as_json
def reproduce(experiment: str, data: str, scale: str, out: str | None, as_json: bool) -> None:
    """Run an experiment of the paper, and print its figures beside the published ones.

    \b
    table1   paraphrases in one language against bitext, four encoders
    table2   similarity within and across languages
    table3   mining bitext
    table4   encoding speed
    table5   what makes a language useful to English
    figure1  the same, plotted

    Bitexts are named like europarl.en-es.tsv.xz. Where a corpus of the paper is not there (opensubtitles, czeng,
    paranmt), Tatoeba's and others stand in, and the table says so.

    \b
    calque reproduce table3 --data data/
    calque reproduce all --data data/ --scale full --out results/
    """
    from ..paper.reproduce import reproduce as run
    from ..paper.scale import scale_named

    folder = Path(out or f"paper-{scale_named(scale).name}")
    described = []
    with ProgressLine() as line:
        try:
            for table in run(
                experiment, data, folder, scale=scale, say=line.keep, watcher=lambda name: _watcher(line, name)
            ):
                line.clear()
                described.append(table.as_dict())
                if not as_json:
                    _show(table)
        except (TrainingStopped, KeyboardInterrupt) as problem:
            raise TrainingStopped("stopped; what is done is kept", hint="the same command goes on") from problem
    if as_json:
        click.echo(options.as_json_text(described[0] if experiment != "all" else described))
    names = [name for each in described for name in (f"{each['name']}.md", f"{each['name']}.json", *each["pictures"])]
    line.keep(f"written to {folder}: {', '.join(names)}")


def _watcher(line: ProgressLine, name: str) -> Any:
    from ..tasks.train import Watcher
    from ..training import Progress

    def stage(now: str) -> None:
        line.show(f"{name}: {'learning the vocabulary' if now == 'vocabulary' else now} …")

    def progress(now: Progress) -> None:
        line.show(
            f"{name}: epoch {now.epoch}/{now.epochs}  {now.pairs_per_second:,.0f} pairs/s  "
            f"{duration(now.seconds_left)} left"
        )

    return Watcher(stage=stage, progress=progress)


def _show(table: Any) -> None:
    from rich.console import Console
    from rich.table import Table

    header, rows = table.cells()
    shown = Table(box=None, pad_edge=False, header_style="bold")
    first_number = len(header) - len(table.columns)
    for place, title in enumerate(header):
        number = place >= first_number
        longest_word = max((len(word) for row in rows for word in row[place].split()), default=0)
        # However narrow the terminal, no figure is ever cut.
        shown.add_column(
            title, justify="right" if number else "left", overflow="fold", min_width=longest_word if number else None
        )
    for row in rows:
        shown.add_row(*row)
    # A pipe has no width to keep to: a row is a line there.
    width = None if sys.stdout.isatty() else _ENDLESS
    console = Console(width=width, highlight=False, markup=False, emoji=False)
    console.print(table.title, style="bold")
    console.print(shown, crop=False)
    for line in (*filter(None, [table.legend]), *(f"- {note}" for note in table.notes)):
        console.print(line, style="dim")
    console.print()
