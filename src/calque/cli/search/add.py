from __future__ import annotations

import click

from .. import options
from ..progress import ProgressLine, rate_of
from .query import model_of_index


@click.command()
@click.argument("index")
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@model_of_index
@click.option("--language", metavar="L", help="The text's language, for models with a vocabulary for each.")
@options.threads
def add(index: str, files: tuple[str, ...], model: str | None, language: str | None, threads: int | None) -> None:
    """Add the lines of files to an index; ids go on from the last.

    Others may search meanwhile, and see the index as it was until all is in. Several processes that add or delete wait
    for one another.

    \b
    calque search add index/ more.txt even-more.txt.gz
    """
    from ...index import Index
    from ...tasks.search import add_files

    opened = Index.open(index, model)
    with ProgressLine() as line:
        added = add_files(opened, files, language=language, threads=threads, report=rate_of("lines", line))
    click.echo(f"{index}: {added:,} added, {len(opened):,} entries", err=True)
