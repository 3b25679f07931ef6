"""`calque corpus`: what can be done to bitext before there is a model."""

from __future__ import annotations

import click

from ..lazy import LazyGroup

SUMMARIES = {
    "convert": "Turn bitext of any format into another.",
    "clean": "Keep the pairs that look like translations.",
    "stats": "Show what a bitext is like.",
    "download": "Fetch bitext from OPUS, or an evaluation set.",
}


@click.group(
    cls=LazyGroup,
    package=__name__,
    summaries=SUMMARIES,
    examples={
        "calque corpus download opus/Tatoeba en-es": "prints where it lies",
        "calque corpus stats corpus.en-es.tsv": "what is in it",
        "calque corpus clean corpus.en-es.tsv -o clean.en-es.tsv": "",
        "calque corpus convert memory.tmx -o memory.en-es.tsv": "",
    },
)
def corpus() -> None:
    """Read, convert, clean, describe and fetch bitext."""
