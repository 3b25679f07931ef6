"""Bitext in any format to bitext in another."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..corpus import Bitext, Columns, Languages, Pair, find_bitexts
from ..corpus.languages import fits
from ..corpus.writing import output_format, write_bitext
from ..errors import CorpusError

Paths = str | Path | Sequence[str | Path]


@dataclass(frozen=True)
class Converted:
    pairs: int
    languages: Languages | None


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
    pairs = 0

    def counted(batches: Iterable[list[Pair]]) -> Iterator[list[Pair]]:
        nonlocal pairs
        for batch in batches:
            yield batch
            pairs += len(batch)
            report(pairs)

    with open_all(find_bitexts(as_paths(bitext), languages, columns, format)) as reading:
        write_bitext(outs, counted(reading.batches), reading.languages, to)
    return Converted(pairs, reading.languages)


@dataclass(frozen=True)
class OpenedAll:
    languages: Languages | None
    batches: Iterator[list[Pair]]


@contextlib.contextmanager
def open_all(bitexts: Sequence[Bitext]) -> Iterator[OpenedAll]:
    """Several bitexts of one language pair, one after the other.

    Raises:
        CorpusError: they are of different language pairs.
    """
    first, *others = bitexts
    with first.open() as reading:
        languages = reading.languages or first.languages
        for other in others:
            _require_same(languages, other.languages, first, other)

        def batches() -> Iterator[list[Pair]]:
            yield from reading.batches
            for other in others:
                yield from other.batches()

        yield OpenedAll(languages, batches())


def as_paths(paths: Paths) -> list[str]:
    return [str(paths)] if isinstance(paths, str | Path) else [str(path) for path in paths]


def _require_same(one: Languages | None, two: Languages | None, first: Bitext, other: Bitext) -> None:
    if one and two and any(fits(left, right) is None for left, right in zip(one, two, strict=True)):
        raise CorpusError(
            f"{other.paths[0]} is {two[0]}-{two[1]}, but {first.paths[0]} is {one[0]}-{one[1]}",
            hint="one output holds one language pair",
        )
