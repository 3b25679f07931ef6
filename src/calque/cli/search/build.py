from __future__ import annotations

import click

from .. import options
from ..command import command
from ..doubts import doubt_lines
from ..manner import note
from ..places import FILE, FOLDER
from ..progress import Progress


@command(
    examples={
        "calque search build corpus.en corpus.de.gz -o index/": "the model in the box",
        "zcat corpus.gz | calque search build - -o index/ --model my-model": "",
    }
)
@click.argument("corpus", nargs=-1, required=True, metavar="CORPUS...", type=FILE)
@click.option("--output", "-o", required=True, type=FOLDER, metavar="INDEX", help="The folder to write.")
@options.model
@click.option("--language", metavar="L", help="The text's language, for models with a vocabulary for each.")
@click.option(
    "--approximate",
    is_flag=True,
    help="Also make clusters for a search that is faster and misses some; needs pip install 'calque-nlp[ann]'.",
)
@click.option("--overwrite", is_flag=True, help="Replace an index; it stays as it is until the new one is whole.")
@options.threads
def build(
    corpus: tuple[str, ...],
    output: str,
    model: str | None,
    language: str | None,
    approximate: bool,
    overwrite: bool,
    threads: int | None,
) -> None:
    """Index the lines of text files, in any languages of the model.

    Files may be compressed; - is standard input. An entry's id is its line number, counted on from file to file; blank
    lines count but are not indexed. Memory does not grow with the text. On disk, an entry takes its text and 5 bytes a
    dimension (1.5 GB for a million entries of 300 dimensions), a quarter of a byte more with --approximate.

    Search is exact. With --approximate it looks into some clusters of vectors only, as many as are needed to find 95 %
    of the exact ten nearest of 500 entries; what was reached is printed, and by calque search info later.
    """
    from ...tasks.search import LARGE, build_index

    doubt_lines(*corpus)
    with Progress() as progress:
        progress.reading(corpus, "lines", "indexing", then="making clusters" if approximate else "writing")
        made = build_index(
            corpus,
            output,
            model,
            language=language,
            approximate=approximate,
            overwrite=overwrite,
            threads=threads,
            report=progress.at,
        )
        repeats = made.repeats()
    how = "exact search" if made.recall is None else f"approximate search, recall {made.recall:.1%} of the ten nearest"
    note(f"{output}: {len(made):,} entries of {made.model.dimension} dimensions, {how}")
    if repeats:
        note(
            f"{repeats:,} entries repeat the text of an earlier one, and a search finds all of them; "
            "calque dedup drops such lines beforehand"
        )
    if made.recall is None and len(made) > LARGE:
        note("hint: with so many entries, --approximate makes queries several times as fast")
