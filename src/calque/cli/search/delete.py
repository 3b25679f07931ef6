from __future__ import annotations

import click

from ...errors import UsageError
from .. import options
from ..command import command
from ..manner import note
from ..places import FILE, FOLDER
from ..progress import Progress


@command(
    examples={
        "calque search delete index/ --id 17 --id 4": "",
        'calque search delete index/ --text "Resumption of the session"': "",
        'calque search query index/ "Resumption of the session" -k 100 |\n'
        "    awk -F '\\t' '$1 > 0.95 {print $2}' | calque search delete index/ --ids -": "all that is as near",
    }
)
@click.argument("index", type=FOLDER)
@click.option("--id", "ids", type=int, multiple=True, metavar="N", help="An entry's id. May be repeated.")
@click.option(
    "--ids", "files", multiple=True, type=FILE, metavar="FILE", help="A file of ids, one a line; - is standard input."
)
@click.option("--text", "texts", multiple=True, metavar="TEXT", help="All entries with exactly this text.")
@options.threads
def delete(
    index: str, ids: tuple[int, ...], files: tuple[str, ...], texts: tuple[str, ...], threads: int | None
) -> None:
    """Delete entries: all that are named or, if one is not there, none. Other entries keep their ids.

    They are marked as deleted; when a quarter of a segment is, it is rewritten without them and takes less space.
    """
    from ...index import Index
    from ...tasks.search import delete_entries

    if not ids and not files and not texts:
        raise UsageError("nothing to delete was given", hint="pass --id N, --ids FILE or --text TEXT")
    with Progress() as progress:
        progress.stage("deleting")
        opened = Index.open(index)
        deleted = delete_entries(opened, ids, files, texts, threads)
    note(f"{index}: {deleted:,} deleted, {len(opened):,} entries")
