from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..demo import Demo, run_demo
from ..demo.demo import LANGUAGES
from ..errors import UsageError
from ..training import Progress
from . import options
from .progress import ProgressLine

if TYPE_CHECKING:
    from rich.console import Console


TRANSLATIONS = 3  # the first of the similarities


@click.command()
@click.option("--out", "-o", metavar="DIR", help="Keep the bitexts and the model in this new folder.")
@options.threads
def demo(out: str | None, threads: int | None) -> None:
    """See it all at work in a minute, without any data.

    Trains on a small parallel text in English, Spanish, German and French that ships with Calque, and shows what the
    model makes of sentences it has never seen.
    """
    if out is not None and Path(out).exists():
        raise UsageError(f"{out} exists already", hint="choose another --out")
    line = ProgressLine()

    def report(now: Progress) -> None:
        line.show(f"learning: epoch {now.epoch} of {now.epochs}, {now.pairs_per_second:,.0f} sentence pairs a second")

    result = run_demo(Path(out) if out else None, threads, report)
    line.clear()
    _print(result, out)


def _print(result: Demo, out: str | None) -> None:
    from rich.console import Console
    from rich.table import Table

    console = Console(highlight=False)

    def table(title: str, *columns: str) -> Table:
        made = Table(title=title, title_justify="left", title_style="bold")
        for name in columns:
            number = name in ("similarity", "trained", "untrained", "by chance")
            made.add_column(name, justify="right" if number else "left", overflow="fold")
        return made

    console.print(
        f"\nCalque read {result.lines} sentences in {', '.join(LANGUAGES.values())}, and was told nothing but which "
        f"ones translate each other. From that it learnt {result.model.vocabulary.size:,} vectors of "
        f"{result.model.dimension} numbers in {result.seconds:.0f} seconds, one for each piece of a word. A sentence's "
        "vector is the average of its pieces' vectors. All sentences below are new to it.\n"
    )
    similar = table("How alike do they mean?  (1 = the same)", "sentence", "similarity")
    for at, (_, other, score) in enumerate(result.similarities):
        similar.add_row(other, f"{score:.2f}", style="green" if at < TRANSLATIONS else None)
    console.print(f"[bold]“{result.similarities[0][0]}”[/bold] beside its three translations, then beside others:")
    console.print(similar)

    nearest = table("Which of 100 sentences translates it?", "English", "nearest", "similarity", "right")
    for each in result.neighbours:
        nearest.add_row(
            each.query, f"{each.language}: {each.found}", f"{each.score:.2f}", "yes" if each.right else "no"
        )
    console.print(nearest)

    found = table("Translations found among 100", "language", "trained", "untrained", "by chance")
    for language, trained, untrained, chance in result.found:
        found.add_row(LANGUAGES[language], f"{trained:.0%}", f"{untrained:.0%}", f"{chance:.0%}")
    console.print(found)
    console.print(f"Speed: {result.sentences_per_second:,.0f} sentences a second on this machine.\n")
    _print_next(console, out)


def _print_next(console: Console, out: str | None) -> None:
    kept = out or "first-look"
    steps = [] if out else [f"calque demo --out {kept}"]
    steps += [
        f'calque similarity --model {kept}/model "A dog runs." "Un perro corre."',
        f"calque similarity --model {kept}/model --pairs {kept}/demo.en-es.tsv",
        "calque train YOUR-BITEXT.tsv --out my-model",
    ]
    console.print("This was learnt from a few hundred lines; real models learn from hundreds of thousands. Next:\n")
    for step in steps:
        console.print(f"  {step}", soft_wrap=True)
    console.print("\nYOUR-BITEXT.tsv holds a sentence and its translation on each line, with a tab between them.")
