from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from . import engine, options
from .command import command
from .doubts import doubt_lines
from .engine import cluster, doubt_shards, on_cluster, require_folder, watch
from .manner import note
from .places import FILE
from .progress import Progress
from .texts import require_no_text

if TYPE_CHECKING:
    from ..model import Model


@command(
    examples={
        "calque encode sentences.txt -o vectors.npy": "the model in the box",
        "calque encode sentences.txt.gz --model my-model -o vectors.npy": "",
        "zcat corpus.gz | calque encode > vectors.raw": "float32, without a header",
        "calque encode articles.parquet --column body -o articles-with-vectors.parquet": "",
        "calque encode shards/ --engine ray --address auto -o vectors/": "over a cluster, a part for each shard",
    }
)
@click.argument("file", default="-", type=FILE)
@options.model
@click.option(
    "--output", "-o", default="-", type=FILE, metavar="OUT", help="Where to write; - is standard output, as raw."
)
@click.option(
    "--format",
    type=click.Choice(["npy", "raw", "parquet"]),
    help="numpy's format; float32 without a header as LASER's tools exchange it; or Parquet with one column more, "
    "vector.  [default: by OUT's name; npy on a cluster]",
)
@options.column
@click.option("--normalize", is_flag=True, help="Give every vector length 1.")
@click.option("--language", metavar="L", help="The text's language, for models with a vocabulary for each.")
@engine.options
@options.threads
def encode(
    file: str, model: str | None, output: str, format: Any, engine: str, address: str | None, **given: Any
) -> None:
    """Turn the lines of FILE, or a column of a table, into vectors, one row a line.

    The file may be compressed, and is never held in memory as a whole. An empty line gets a vector of zeros.
    """
    from ..model import load
    from ..tasks.encode import encode_file

    require_no_text(file)
    opened = load(model)
    if on_cluster(engine, address):
        _encode_shards(opened, file, output, format or "npy", address, **given)
        return
    if given["column"] is None:
        doubt_lines(file, columns=True)
    with Progress(beside_data=output == "-") as progress:
        progress.reading([file], "lines", "encoding")
        lines = encode_file(opened, file, output, format=format, report=progress.at, **given)
    if output != "-":
        note(f"{output}: {lines:,} × {opened.dimension}")


def _encode_shards(
    model: Model, file: str, output: str, format: Any, address: str | None, threads: int | None, **given: Any
) -> None:
    from ..cluster.encode import encode_shards

    out = require_folder([output])
    if given["column"] is None:
        doubt_shards(file)
    with Progress() as progress, cluster(address, threads) as engine:
        report = encode_shards(
            model, [file], out, engine, format=format, threads=threads or 1, watch=watch(progress), **given
        )
    note(f"{out}: {report['parts']:,} parts, {report['lines']:,} × {report['dimension']}")
