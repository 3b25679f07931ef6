"""Bitext in any format to bitext in another."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ..corpus import Bitext, Columns, Languages, Pair, find_bitexts
from ..corpus.languages import fits
from ..corpus.pair import Reading
from ..corpus.writing import output_format, write_bitext
from ..errors import CorpusError

Paths = str | Path | Sequence[str | Path]


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


@contextlib.contextmanager
def open_all(bitexts: Sequence[Bitext]) -> Iterator[Reading]:
    """Several bitexts of one language pair, one after the other; one that does not tell its languages has the others'.

    Raises:
        CorpusError: they are of different language pairs.
    """
    first, *others = bitexts
    with first.open() as reading:
        opened = replace(first, languages=reading.languages or first.languages)
        languages = _common_languages([opened, *others])

        def batches() -> Iterator[list[Pair]]:
            yield from reading.batches
            for other in others:
                yield from other.batches()

        yield Reading(languages, batches())


def as_paths(paths: Paths) -> list[str]:
    return [str(paths)] if isinstance(paths, str | Path) else [str(path) for path in paths]


def _common_languages(bitexts: Sequence[Bitext]) -> Languages | None:
    known = [(bitext.paths[0], bitext.languages) for bitext in bitexts if bitext.languages]
    for path, languages in known:
        first, common = known[0]
        if any(fits(left, right) is None for left, right in zip(common, languages, strict=True)):
            raise CorpusError(
                f"{path} is {'-'.join(languages)}, but {first} is {'-'.join(common)}",
                hint="one call takes one language pair; --languages names it if the files' names mislead",
            )
    return known[0][1] if known else None
