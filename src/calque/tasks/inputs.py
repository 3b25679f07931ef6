"""What tasks are given to read: one file or several, which make one bitext."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from ..corpus import STDIN, Bitext, Languages, Pair, PlainText
from ..corpus.languages import fits
from ..corpus.pair import Reading
from ..errors import CorpusError, UsageError

Paths = str | Path | Sequence[str | Path]


def as_paths(paths: Paths) -> list[str]:
    return [str(paths)] if isinstance(paths, str | Path) else [str(path) for path in paths]


def spare_inputs(outs: Sequence[str], inputs: Sequence[str]) -> None:
    """
    Raises:
        UsageError: an output would take the place of an input.
    """
    read = {os.path.realpath(path) for path in inputs if path != STDIN}
    for out in outs:
        if out != STDIN and os.path.realpath(out) in read:
            raise UsageError(f"{out} is what is read", hint="its text would be lost: name another file")


def require_one_standard_input(paths: Sequence[str]) -> None:
    """
    Raises:
        UsageError: standard input is named twice.
    """
    if list(paths).count(STDIN) > 1:
        raise UsageError("standard input can be read once only", hint="`-` may stand for one file; name the others")


@contextlib.contextmanager
def open_all(bitexts: Sequence[Bitext]) -> Iterator[Reading]:
    """Several bitexts of one language pair, one after the other; one that does not tell its languages has the others'.

    Raises:
        CorpusError: they are of different language pairs.
    """
    first, *others = bitexts
    with first.open() as reading:
        opened = replace(first, languages=reading.languages or first.languages)
        languages = common_languages([opened, *others])

        def batches() -> Iterator[list[Pair]]:
            yield from reading.batches
            for other in others:
                yield from other.batches()

        yield Reading(languages, batches())


def common_languages(bitexts: Sequence[Bitext]) -> Languages | None:
    """
    Raises:
        CorpusError: they are of different language pairs.
    """
    known = [(bitext.paths[0], bitext.languages) for bitext in bitexts if bitext.languages]
    for path, languages in known:
        first, common = known[0]
        if any(fits(left, right) is None for left, right in zip(common, languages, strict=True)):
            raise CorpusError(
                f"{path} is {'-'.join(languages)}, but {first} is {'-'.join(common)}",
                hint="one call takes one language pair; --languages names it if the files' names mislead",
            )
    return known[0][1] if known else None


def sides(bitexts: Sequence[Bitext | PlainText]) -> Iterator[tuple[str | None, str]]:
    """Each text with its language."""
    for bitext in bitexts:
        source, target = bitext.languages or (None, None)
        if isinstance(bitext, PlainText):
            yield from ((source, text) for text in bitext.texts())
            continue
        for pair in bitext.pairs():
            yield source, pair.source
            yield target, pair.target
