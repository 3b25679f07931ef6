"""Bitext without what is no translation, or no text."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import IO

from ..corpus import Columns, Pair, find_bitexts
from ..corpus.cleaning import Report, choose_rules, clean_batches
from ..corpus.languages import require_standard
from ..corpus.writing import open_outputs, output_format, output_paths, require_different, write_pairs
from ..threads import resolve_threads
from .inputs import Paths, as_paths, open_all, spare_inputs

Reject = Callable[[str, list[Pair]], None]


def clean(
    pairs: Iterable[tuple[str, str]],
    preset: str = "light",
    *,
    languages: Sequence[str] = (),
    rules: Sequence[str] = (),
    without: Sequence[str] = (),
    report: Report | None = None,
    threads: int | None = None,
) -> Iterator[Pair]:
    """The pairs worth keeping, streamed.

    Examples:
        >>> pairs = [("A dog runs.", "Un perro corre."), ("A dog runs.", "")]
        >>> list(calque.clean(pairs))
        [Pair(source='A dog runs.', target='Un perro corre.')]

    Args:
        pairs: Such as `calque.read_bitext` gives.
        preset: `none`, `light` or `strict`; `calque corpus clean --help` lists their rules.
        languages: Two codes; some rules need to know them.
        rules: More rules, or other limits: `"length-ratio=3"`, `"my_module:my_function"`.
        without: Rules of the preset to leave out.
        report: A `calque.corpus.cleaning.Report`, which then counts what each rule drops.
        threads: As many as there are cores, unless given.

    Raises:
        UsageError: no such preset or rule.
    """
    known = require_standard(languages) if languages else None
    cleaning = choose_rules(preset, rules, without, languages_known=known is not None)
    batches = ([Pair(*pair)] for pair in pairs)
    count = resolve_threads(threads)
    return chain.from_iterable(clean_batches(batches, cleaning, report or Report(), languages=known, threads=count))


def clean_file(
    bitext: Paths,
    out: Paths,
    preset: str = "light",
    *,
    languages: Sequence[str] = (),
    columns: Columns | None = None,
    format: str | None = None,
    to: str | None = None,
    rules: Sequence[str] = (),
    without: Sequence[str] = (),
    rejected: str | Path | None = None,
    threads: int | None = None,
    watch: Callable[[Report], None] = lambda report: None,
) -> Report:
    """Writes the pairs of one or more bitexts that are worth keeping, and reports on the others.

    `rejected` names a TSV for those, perhaps compressed, with the rule that dropped them in front.
    """
    outs = as_paths(out)
    output_format(outs, to)
    places = [*outs, *([str(rejected)] if rejected is not None else [])]
    require_different(places)
    spare_inputs(places, as_paths(bitext))
    count = resolve_threads(threads)
    report = Report()
    with open_all(find_bitexts(as_paths(bitext), languages, columns, format)) as reading:
        cleaning = choose_rules(preset, rules, without, languages_known=reading.languages is not None)
        with _opened(output_paths(outs, reading.languages, to), rejected) as (files, reject):
            kept = clean_batches(
                reading.batches, cleaning, report, languages=reading.languages, threads=count, reject=reject
            )
            write_pairs(files, _watched(kept, report, watch), reading.languages, output_format(outs, to))
    return report


def _watched(batches: Iterable[list[Pair]], report: Report, watch: Callable[[Report], None]) -> Iterator[list[Pair]]:
    for batch in batches:
        yield batch
        watch(report)


@contextlib.contextmanager
def _opened(kept: list[str], rejected: str | Path | None) -> Iterator[tuple[list[IO[bytes]], Reject | None]]:
    """The files for what is kept, and what is done with the rest, if anything."""
    if rejected is None:
        with open_outputs(kept) as files:
            yield files, None
        return
    with open_outputs([*kept, str(rejected)]) as (*files, file):
        yield files, lambda rule, pairs: _write_rejected(file, rule, pairs)


def _write_rejected(file: IO[bytes], rule: str, pairs: Sequence[Pair]) -> None:
    for pair in pairs:
        cells = (" ".join(side.split()) for side in pair)
        file.write("\t".join((rule, *cells)).encode("utf-8", "replace") + b"\n")
