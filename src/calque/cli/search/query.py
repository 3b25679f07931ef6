from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from ...errors import UsageError
from .. import options

if TYPE_CHECKING:
    from ...index import Hit
    from ...tasks.search import Answer

model_of_index = click.option(
    "--model",
    "-m",
    metavar="DIR",
    help="The model, if it has moved since the index was built; else CALQUE_MODEL, else the model in the box.",
)


@click.command()
@click.argument("index")
@click.argument("text", required=False)
@click.option("-k", type=int, default=10, show_default=True, help="How many entries to find.")
@click.option("--queries", metavar="FILE", help="Many queries, one a line; - is standard input.")
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

    \b
    calque search query index/ "A dog runs." -k 3
    calque search query index/ --queries questions.txt > answers.tsv
    calque search query index/ --queries - --json < questions.txt
    """
    from ...index import Index
    from ...tasks.search import Answer, answer_file

    if (text is None) == (queries is None):
        raise UsageError(f"expected a text or --queries FILE, got {'both' if text is not None else 'neither'}")
    if text is not None and not text.strip():
        raise UsageError("the query is empty", hint="write what to look for, in any language of the model")
    opened = Index.open(index, model)
    if queries is None:
        hits = opened.search([text or ""], k, language=language, threads=threads)[0]
        if not hits:
            _say_why_nothing(len(opened))
        _print(Answer(1, text or "", hits), as_json, numbered=False)
        return
    for answer in answer_file(opened, queries, k, language=language, threads=threads):
        _print(answer, as_json, numbered=True)


def _say_why_nothing(entries: int) -> None:
    why = "the model knows no piece of the query" if entries else "the index is empty"
    click.echo(f"nothing found: {why}", err=True)


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
    click.echo(lines.encode("utf-8", "replace"), nl=False)


def _cells(hit: Hit) -> str:
    place = f"{hit.file}:{hit.line}" if hit.file is not None else ""
    return "\t".join((f"{hit.score:.4f}", str(hit.id), " ".join(hit.text.split()), " ".join(place.split())))
