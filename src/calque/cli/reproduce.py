from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from ..errors import Stopped, UsageError
from . import options
from .command import command
from .manner import note
from .places import FOLDER
from .progress import Progress
from .tables import show_table

EXPERIMENTS = ("table1", "table2", "table3", "table4", "table5", "figure1", "all")  # paper.reproduce, unimported


@command(
    examples={
        "calque reproduce table3 --data data/": "a first look, from small samples",
        "calque reproduce all --data data/ --scale full --out results/": "all there is; takes days",
    },
    epilog="Run again after Ctrl-C, it goes on where it stopped: what is done is never done twice.",
)
@click.argument("experiment", type=click.Choice(EXPERIMENTS))
@click.option(
    "--data",
    envvar="CALQUE_DATA",
    type=FOLDER,
    metavar="DIR",
    help="The folder that holds bitext/ and eval/; else CALQUE_DATA.",
)
@click.option(
    "--scale",
    default="small",
    show_default=True,
    metavar="N",
    help="small: at most 25,000 sentence pairs in a training; full: all there is; or another number of pairs.",
)
@click.option(
    "--out",
    "-o",
    type=FOLDER,
    metavar="DIR",
    help="Where tables, pictures and what lies between go.  [default: paper-SCALE]",
)
@options.as_json
def reproduce(experiment: str, data: str | None, scale: str, out: str | None, as_json: bool) -> None:
    """Run an experiment of the paper, and print its figures beside the published ones.

    \b
    table1   paraphrases in one language against bitext, four encoders
    table2   similarity within and across languages
    table3   mining bitext
    table4   encoding speed
    table5   what makes a language useful to English
    figure1  the same, plotted

    Each training is announced as it begins, with its place among all and the time left, and each row as it is done. At
    the scale small, table2 is 20 trainings, about half an hour on two busy cores.

    Bitexts are named like europarl.en-es.tsv.xz. Where a corpus of the paper is not there (opensubtitles, czeng,
    paranmt), Tatoeba's and others stand in, and the table says so.
    """
    from ..paper.reproduce import reproduce as run
    from ..paper.scale import scale_named

    if data is None:
        raise UsageError("no --data given", hint="the folder with bitext/ and eval/; CALQUE_DATA may name it")
    folder = Path(out or f"paper-{scale_named(scale).name}")
    described = []
    with Progress() as progress:
        progress.stage("looking at the data")
        try:
            for table in run(
                experiment,
                data,
                folder,
                scale=scale,
                say=progress.keep,
                watcher=lambda name: _watcher(progress, name),
                show=progress.keep,
            ):
                progress.clear()
                described.append(table.as_dict())
                if not as_json:
                    _show(table)
        except (Stopped, KeyboardInterrupt) as problem:
            raise Stopped("stopped; what is done is kept", hint="the same command goes on") from problem
    if as_json:
        click.echo(options.as_json_text(described[0] if experiment != "all" else described))
    names = [name for each in described for name in (f"{each['name']}.md", f"{each['name']}.json", *each["pictures"])]
    note(f"written to {folder}: {', '.join(names)}")


def _watcher(progress: Progress, name: str) -> Any:
    from ..tasks.train import Watcher
    from ..training import Progress as Training

    training = False

    def stage(now: str) -> None:
        nonlocal training
        training = False
        progress.stage(f"{name}: {'learning the vocabulary' if now == 'vocabulary' else now}")

    def trained(now: Training) -> None:
        nonlocal training
        if not training:
            training = True
            progress.stage(name, total=now.steps)
        progress.at(now.step, f"epoch {now.epoch}/{now.epochs}  {now.pairs_per_second:,.0f} pairs/s", now.seconds_left)
        if now.step == now.steps:
            progress.stage(f"{name}: measuring")

    return Watcher(stage=stage, progress=trained)


def _show(table: Any) -> None:
    header, rows = table.cells()
    notes = (*filter(None, [table.legend]), *(f"- {note}" for note in table.notes))
    show_table(header, rows, numbers_from=len(header) - len(table.columns), title=table.title, notes=notes)
    click.echo()
