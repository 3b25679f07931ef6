"""Bitext in any format to bitext in another."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from ..corpus import Columns, Languages, Pair, find_bitexts
from ..corpus.writing import output_format, write_bitext
from .inputs import Paths, as_paths, open_all, spare_inputs


@dataclass(frozen=True)
class Converted:
    pairs: int
    languages: Languages | None
    paths: tuple[str, ...]  # that were written


def convert(
    bitext: Paths,
    out: Paths,
    *,
    languages: Sequence[str] = (),
    columns: Columns | None = None,
    format: str | None = None,
    to: str | None = None,
    report: Callable[[int], None] = lambda pairs: None,
) -> Converted:
    """Writes the pairs of one or more bitexts to `out` and says how many.

    `out` is one file (`.tsv .csv .tmx .jsonl .parquet`, perhaps with `.gz .bz2 .xz .zst`), or two for Moses.
    """
    outs = as_paths(out)
    output_format(outs, to)  # before anything is read
    spare_inputs(outs, as_paths(bitext))
    pairs = 0

    def counted(batches: Iterable[list[Pair]]) -> Iterator[list[Pair]]:
        nonlocal pairs
        for batch in batches:
            yield batch
            pairs += len(batch)
            report(pairs)

    with open_all(find_bitexts(as_paths(bitext), languages, columns, format)) as reading:
        paths = write_bitext(outs, counted(reading.batches), reading.languages, to)
    return Converted(pairs, reading.languages, tuple(paths))
