from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from ...errors import UsageError
from .. import options
from ..command import command
from ..manner import note
from ..places import FILE, FOLDER, MODEL
from ..progress import Progress
from ..settings import usual_model
from ..visible import harmless_there

if TYPE_CHECKING:
    from ...index import Hit, Index
    from ...tasks.search import Answer

model_of_index = click.option(
    "--model",
    "-m",
    type=MODEL,
    metavar="DIR",
    help="The model, if it has moved since the index was built; else CALQUE_MODEL, else the model in the box.",
)


@command(
    examples={
        'calque search query index/ "A dog runs." -k 3': "",
        "calque search query index/ --queries questions.txt > answers.tsv": "many at once",
        "calque search query index/ --queries - --json < questions.txt": "",
    }
)
@click.argument("index", type=FOLDER)
@click.argument("text", required=False)
@click.option("-k", type=int, default=10, show_default=True, help="How many entries to find.")
@click.option("--queries", type=FILE, metavar="FILE", help="Many queries, one a line; - is standard input.")
@model_of_index
@click.option("--language", metavar="L", help="The queries' language, for models with a vocabulary for each.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON Lines, one query a line.")
@options.threads
def query(
    index: str,
    text: str | None,
    k: int,
    queries: str | None,
    model: str | None,
    language: str | None,
    as_json: bool,
    threads: int | None,
) -> None:
    """Find the entries nearest in meaning to TEXT, in whatever language they are.

    Prints score (the cosine, 1 at the most), id, text and file:line, separated by tabs, the nearest first; of equals,
    the smaller id first. With --queries, the number of the query (its line) and the rank come before these.
    """
    from ...tasks.search import Answer, answer_file

    if (text is None) == (queries is None):
        raise UsageError(f"expected a text or --queries FILE, got {'both' if text is not None else 'neither'}")
    if text is not None and not text.strip():
        raise UsageError("the query is empty", hint="write what to look for, in any language of the model")
    opened = open_index(index, model)
    if queries is None:
        hits = opened.search([text or ""], k, language=language, threads=threads)[0]
        if not hits:
            _say_why_nothing(len(opened))
        _print(Answer(1, text or "", hits), as_json, numbered=False)
        return
    with Progress(beside_data=True) as progress:
        progress.reading([queries], "queries", "searching")
        for answer in answer_file(opened, queries, k, language=language, threads=threads):
            _print(answer, as_json, numbered=True)
            progress.at(answer.number)


def open_index(index: str, model: str | None) -> Index:
    """Its own model comes before the one that other commands take."""
    from ...index import Index

    return Index.open(index, model, usual=usual_model(click.get_current_context()))


def _say_why_nothing(entries: int) -> None:
    why = "the model knows no piece of the query" if entries else "the index is empty"
    note(f"nothing found: {why}")


def _print(answer: Answer, as_json: bool, *, numbered: bool) -> None:
    if as_json:
        hits = [hit._asdict() for hit in answer.hits]
        described = {"query": answer.number, "text": answer.query, "hits": hits}
        lines = json.dumps(described, ensure_ascii=False) + "\n"
    else:
        ranked = enumerate(answer.hits, start=1)
        lines = "".join(
            f"{answer.number}\t{rank}\t{_cells(hit)}\n" if numbered else f"{_cells(hit)}\n" for rank, hit in ranked
        )
    click.echo(harmless_there(lines).encode("utf-8", "replace"), nl=False)


def _cells(hit: Hit) -> str:
    place = f"{hit.file}:{hit.line}" if hit.file is not None else ""
    return "\t".join((f"{hit.score:.4f}", str(hit.id), " ".join(hit.text.split()), " ".join(place.split())))
