"""`calque search`: texts in a folder, found by what they mean."""

from __future__ import annotations

import click

from ..lazy import LazyGroup

SUMMARIES = {
    "build": "Index the lines of text files.",
    "query": "Find the entries nearest in meaning.",
    "add": "Add the lines of files to an index.",
    "delete": "Delete entries from an index.",
    "info": "Show what an index holds.",
}


@click.group(
    cls=LazyGroup,
    package=__name__,
    summaries=SUMMARIES,
    examples={
        "calque search build corpus.en corpus.de -o index/": "once",
        'calque search query index/ "The dog runs." -k 5': "as often as you like",
        "calque search add index/ more.txt": "",
        "calque search delete index/ --id 17": "",
    },
)
def search() -> None:
    """Find sentences by what they mean, within and across languages."""
