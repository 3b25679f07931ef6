from __future__ import annotations

from typing import Any

from .. import options
from ..command import command
from ..manner import note
from ..progress import Progress


@command(
    examples={
        "calque corpus convert memory.tmx -o memory.tsv.gz --languages en es": "",
        "calque corpus convert en-es.txt.zip -o corpus.en -o corpus.es": "an OPUS zip as two parallel files",
        "calque corpus convert translations.csv --columns English,Spanish -o out.parquet": "",
    }
)
@options.bitext
@options.outs
@options.reading
@options.to
def convert(bitext: tuple[str, ...], outs: tuple[str, ...], to: str | None, **reading: Any) -> None:
    """Turn bitext of any format into another.

    Reads TSV, CSV, JSON Lines, TMX, XLIFF, PO, Parquet, Arrow, OPUS zips, and two parallel files, one after the other;
    plain or compressed; - is standard input. Nothing is held in memory as a whole.
    """
    from ...tasks.convert import convert as run

    with Progress(beside_data="-" in outs) as progress:
        progress.reading(bitext, "pairs", "converting")
        done = run(bitext, outs, to=to, report=progress.at, **reading)
    if "-" not in outs:
        told = f" of {'-'.join(done.languages)}" if done.languages else ""
        note(f"{' '.join(done.paths)}: {done.pairs:,} pairs{told}")
