from __future__ import annotations

import click

from . import options
from .command import command
from .doubts import doubt_lines
from .manner import note
from .places import FILE
from .progress import Progress


@command(
    examples={
        "calque encode sentences.txt -o vectors.npy": "the model in the box",
        "calque encode sentences.txt.gz --model my-model -o vectors.npy": "",
        "zcat corpus.gz | calque encode > vectors.raw": "float32, without a header",
    }
)
@click.argument("file", default="-", type=FILE)
@options.model
@click.option(
    "--output", "-o", default="-", type=FILE, metavar="OUT", help="Where to write; - is standard output, as raw."
)
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
    """
    from ..model import load
    from ..tasks.encode import encode_file

    opened = load(model)
    doubt_lines(file)
    with Progress(beside_data=output == "-") as progress:
        progress.reading([file], "lines", "encoding")
        lines = encode_file(
            opened,
            file,
            output,
            format=format,  # type: ignore[arg-type]
            normalize=normalize,
            threads=threads,
            language=language,
            report=progress.at,
        )
    if output != "-":
        note(f"{output}: {lines:,} × {opened.dimension}")
