from __future__ import annotations

import click

from . import options
from .progress import ProgressLine, rate_of


@click.command()
@click.argument("file", default="-")
@options.model
@click.option("--output", "-o", default="-", metavar="OUT", help="Where to write; - is standard output, as raw.")
@click.option(
    "--format",
    type=click.Choice(["npy", "raw"]),
    help="numpy's format, or float32 without a header as LASER's tools exchange it.  [default: by OUT's name]",
)
@click.option("--normalize", is_flag=True, help="Give every vector length 1.")
@click.option("--language", metavar="L", help="The text's language, for models with a vocabulary for each.")
@options.threads
def encode(
    file: str,
    model: str | None,
    output: str,
    format: str | None,
    normalize: bool,
    language: str | None,
    threads: int | None,
) -> None:
    """Turn the lines of FILE into vectors, one row a line.

    The file may be compressed, and is never held in memory as a whole. An empty line gets a vector of zeros.

    \b
    calque encode sentences.txt --model my-model -o vectors.npy
    zcat corpus.gz | calque encode --model my-model > vectors.raw
    """
    from ..model import load
    from ..tasks.encode import encode_file

    opened = load(model)
    with ProgressLine() as line:
        lines = encode_file(
            opened,
            file,
            output,
            format=format,  # type: ignore[arg-type]
            normalize=normalize,
            threads=threads,
            language=language,
            report=rate_of("lines", line),
        )
    if output != "-":
        click.echo(f"{output}: {lines:,} × {opened.dimension}", err=True)
