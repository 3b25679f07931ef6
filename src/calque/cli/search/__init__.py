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


@click.group(cls=LazyGroup, package=__name__, summaries=SUMMARIES)
def search() -> None:
    """Find sentences by what they mean, within and across languages.

    \b
    calque search build corpus.en corpus.de -o index/ --model my-model
    calque search query index/ "The dog runs." -k 5
    calque search add index/ more.txt
    calque search delete index/ --id 17
    """
