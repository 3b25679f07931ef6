from __future__ import annotations

from typing import Any

import click

from .. import options
from ..progress import ProgressLine, rate_of


@click.command()
@options.bitext
@options.outs
@options.reading
@options.to
def convert(bitext: tuple[str, ...], outs: tuple[str, ...], to: str | None, **reading: Any) -> None:
    """Turn bitext of any format into another.

    Reads TSV, CSV, JSON Lines, TMX, XLIFF, PO, Parquet, Arrow, OPUS zips, and two parallel files, one after the other;
    plain or compressed; - is standard input. Nothing is held in memory as a whole.

    \b
    calque corpus convert memory.tmx -o memory.tsv.gz --languages en es
    calque corpus convert en-es.txt.zip -o corpus.en -o corpus.es
    calque corpus convert translations.csv --columns English,Spanish -o out.parquet
    """
    from ...tasks.convert import convert as run

    with ProgressLine() as line:
        done = run(bitext, outs, to=to, report=rate_of("pairs", line), **reading)
    if "-" not in outs:
        told = f" of {'-'.join(done.languages)}" if done.languages else ""
        click.echo(f"{' '.join(done.paths)}: {done.pairs:,} pairs{told}", err=True)
