from __future__ import annotations

import click

from ..errors import UsageError
from . import options
from .command import command
from .doubts import doubt_lines
from .manner import note
from .places import FILE
from .progress import Progress


@command(
    examples={
        "calque align book.de book.fr": "numbers of lines and a cost, as Vecalign prints them",
        "calque align book.de book.fr --format tsv -o book.tsv": "with the text; reads as bitext with --columns 2,3",
        "calque align book.de book.fr --model my-model --one-to-one --json": "",
    },
    rivals=[{"as_json", "format"}, {"one_to_one", "max_size"}],
)
@click.argument("source", metavar="DOC1", type=FILE)
@click.argument("target", metavar="DOC2", type=FILE)
@options.model
@click.option("--output", "-o", default="-", type=FILE, metavar="OUT", help="Where to write; - is standard output.")
@click.option(
    "--format",
    type=click.Choice(["vecalign", "tsv"]),
    help="Numbers and cost as Vecalign prints them, or cost, text, text, numbers, numbers.  [default: vecalign]",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON Lines.")
@click.option("--one-to-one", is_flag=True, help="No blocks of several sentences.")
@click.option(
    "--max-size", type=int, metavar="N", help="The most sentences in a block, both sides together.  [default: 8]"
)
@click.option(
    "--skip",
    type=float,
    metavar="COST",
    help="What it costs to leave a sentence out, where unrelated text costs 1; less leaves out more.  [default: 0.8]",
)
@options.languages
@options.threads
def align(
    source: str,
    target: str,
    model: str | None,
    output: str,
    format: str | None,
    as_json: bool,
    one_to_one: bool,
    max_size: int | None,
    skip: float | None,
    languages: tuple[str, str],
    threads: int | None,
) -> None:
    """Find which sentences of two documents, one a line, translate each other: one to one, one to several, or none.

    Each line of the output is a block: its sentences in DOC1, those in DOC2, counted from 0, and its cost: 0 for the
    same meaning, about 1 for unrelated text. Every sentence occurs once and in order. One without a translation stands
    alone, at cost 0, as do blank lines that are not within a block.
    """
    from ..alignment import MAX_SIZE, SKIP
    from ..tasks.align import align_files

    if as_json and format:
        raise UsageError("--json and --format are two ways to say what to write: choose one")
    if one_to_one and max_size:
        raise UsageError("--one-to-one and --max-size are two ways to say the same: choose one")
    doubt_lines(source, target)
    with Progress(beside_data=output == "-") as progress:
        progress.reading([source, target], "", then="aligning")
        done = align_files(
            source,
            target,
            output,
            model,
            format="jsonl" if as_json else format or "vecalign",
            max_size=2 if one_to_one else max_size if max_size is not None else MAX_SIZE,
            skip=SKIP if skip is None else skip,
            languages=languages,
            threads=threads,
        )
    if output != "-":
        note(
            f"{output}: {done.blocks:,} blocks; left out: {done.sources_left_out:,} of {source}, "
            f"{done.targets_left_out:,} of {target}"
        )
