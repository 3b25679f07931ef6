from __future__ import annotations

import click

from .. import options
from ..command import command
from ..doubts import doubt_lines
from ..manner import note, warn
from ..places import FILE, FOLDER
from ..progress import Progress
from .query import model_of_index, open_index


@command(
    examples={
        "calque search add index/ more.txt even-more.txt.gz": "",
        "calque search add index/ - < more.txt": "from standard input",
    }
)
@click.argument("index", type=FOLDER)
@click.argument("files", nargs=-1, required=True, metavar="FILE...", type=FILE)
@model_of_index
@click.option("--language", metavar="L", help="The text's language, for models with a vocabulary for each.")
@options.threads
def add(index: str, files: tuple[str, ...], model: str | None, language: str | None, threads: int | None) -> None:
    """Add the lines of files to an index; ids go on from the last.

    A line that is there already is added once more, and a search finds it as often as it was added. Such lines are
    counted, and you are warned.

    Others may search meanwhile, and see the index as it was until all is in. Several processes that add or delete wait
    for one another.
    """
    from ...tasks.search import add_files

    opened = open_index(index, model)
    doubt_lines(*files)
    with Progress() as progress:
        progress.reading(files, "lines", "adding", then="writing")
        first = opened.next_id
        added = add_files(opened, files, language=language, threads=threads, report=progress.at)
        repeats = opened.repeats(first)
    note(f"{index}: {added:,} added, {len(opened):,} entries")
    if repeats:
        warn(
            f"{repeats:,} of the {added:,} added repeat the text of an earlier entry, and a search finds both; "
            "add each file once, or build the index again from all files with --overwrite"
        )
