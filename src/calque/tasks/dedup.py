"""Corpora without lines that repeat others, be it in other words or another language."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from ..batches import weighed
from ..deduplication import Contrast, Group, Keep, Spared, Store, find_duplicates
from ..deduplication.find import KEEPS
from ..deduplication.store import Row
from ..encoder import Vectors
from ..errors import UsageError
from ..model import Model, as_model
from ..model.familiarity import COMPARING, LINES, Side, warn_of_languages
from ..model.readable import Readable
from ..threads import resolve_threads

THRESHOLD = 0.95  # docs/results/deduplication.md says what it was chosen on

_BATCH = 1 << 13  # lines
_BATCH_CHARACTERS = 1 << 24


@dataclass(frozen=True)
class Options:
    """How lines are compared."""

    threshold: float = THRESHOLD
    keep: Keep = "first"
    numbers: bool = True  # lines with different numbers are different
    opposites: bool = True  # near lines that a negation or an opposite tells apart are different

    def __post_init__(self) -> None:
        if not 0 < self.threshold <= 1:
            raise UsageError(f"threshold: expected more than 0 and at most 1, got {self.threshold}")
        if self.keep not in KEEPS:
            raise UsageError(f"keep: expected one of {', '.join(KEEPS)}, got {self.keep}")


@dataclass(frozen=True)
class Deduplicated:
    """Which texts to keep, and why the others go."""

    kept: list[int]  # numbers of texts, from 0 on
    groups: list[Group]  # a text that is kept, and those that are dropped for it with their similarities
    spared: list[Spared]  # texts that are kept although near to another: for a negation, an opposite or a number


def dedup(
    texts: Iterable[str] | Iterable[tuple[str, str]],
    model: Model | str | Path | None = None,
    *,
    threshold: float = THRESHOLD,
    keep: Keep = "first",
    ignore_numbers: bool = False,
    drop_opposites: bool = False,
    languages: Sequence[str] = (),
) -> Deduplicated:
    """Find texts that repeat others: a text is dropped if one that is kept has the same letters and digits, or is near.

    A near text stays if a negation, an opposite (at most, at least) or a number tells it apart.

    Examples:
        >>> lines = ["A dog runs.", "It rains.", "a dog runs!"]
        >>> found = calque.dedup(lines)
        >>> [lines[at] for at in found.kept]
        ['A dog runs.', 'It rains.']

    Args:
        texts: Texts, or pairs of texts, of which both sides must be alike.
        model: A model, or its folder; without it, the one that `calque.load()` opens.
        threshold: The similarity from which on texts are near.
        keep: Of texts that repeat each other, the `first` or the `longest`.
        ignore_numbers: Drop near texts whose numbers differ, too.
        drop_opposites: Drop near texts that a negation or an opposite tells apart, too.
        languages: One code for texts, two for pairs: which lists of opposites count (without it, all of them), and
            which vocabulary, for models with one for each language.

    Raises:
        UsageError: an option out of range, or texts mixed with pairs.
    """
    if isinstance(texts, str):
        raise UsageError(
            "dedup takes a list of texts, got one str", hint="calque.read_lines(path) yields those of a file"
        )
    options = Options(threshold, keep, not ignore_numbers, not drop_opposites)
    opened = as_model(model)
    opened.require_languages(languages)
    rows = [(text,) if isinstance(text, str) else tuple(text) for text in texts]
    sides = len(rows[0]) if rows else 1
    if sides not in (1, 2) or any(len(row) != sides for row in rows):
        raise UsageError("expected texts, or pairs of texts, and not both")
    if languages and len(languages) != sides:
        what = "1 language for texts" if sides == 1 else "2 languages for pairs"
        raise UsageError(f"expected {what}, got {len(languages)}")
    warn_of_rows(opened, rows[:LINES], languages or (None,) * sides)
    with Store(sides, opened.dimension, options.numbers) as store:
        encode = Encoding(opened, tuple(languages) or (None,) * sides, resolve_threads(None))
        fill(store, rows, encode)
        found = find_duplicates(store, options.threshold, options.keep, contrast=contrast_of(options, encode))
        spared = found.spared(store, encode.similarities, len(rows))
        return Deduplicated(found.kept.tolist(), list(found.groups(store, encode.similarities)), spared)


def contrast_of(options: Options, encode: Encoding) -> Contrast:
    """Return what tells near lines apart, in the languages of the sides."""
    return Contrast(encode.languages, Readable(encode.model), words=options.opposites)


def warn_of_rows(model: Model, rows: Sequence[Row], languages: Sequence[str | None], name: str = "") -> None:
    """Warn of the languages of some lines or pairs that the model hardly knows; `name` is that of their file."""
    names = [name or "the text"] if len(languages) == 1 else ["the source side", "the target side"]
    sides = enumerate(zip(names, languages, strict=True))
    told = [Side(what, language, [row[at] for row in rows]) for at, (what, language) in sides]
    warn_of_languages(model, *told, expect=COMPARING)


@dataclass(frozen=True)
class Encoding:
    """A model, and the language of each side, as far as it is known."""

    model: Model
    languages: tuple[str | None, ...]
    threads: int

    def __call__(self, rows: Sequence[Row]) -> list[Vectors]:
        return [
            self.model.encode([row[side] for row in rows], normalize=True, threads=self.threads, language=language)
            for side, language in enumerate(self.languages)
        ]

    def similarities(self, first: Sequence[Row], second: Sequence[Row]) -> npt.NDArray[np.float32]:
        sides = zip(self(first), self(second), strict=True)
        cosines: npt.NDArray[np.float32] = np.min([np.einsum("ij,ij->i", one, two) for one, two in sides], axis=0)
        return cosines


def fill(
    store: Store, rows: Iterable[Row], encode: Encoding, report: Callable[[int], None] = lambda lines: None
) -> None:
    """Takes lines into a store, with the vectors of those that need one."""
    for batch in row_batches(rows):
        store.add_vectors(encode([batch[at] for at in store.take(batch, encode.threads)]))
        report(store.lines)


def row_batches(rows: Iterable[Row]) -> Iterator[list[Row]]:
    """Some thousand lines, or fewer where they are long."""
    return weighed(rows, _BATCH, lambda row: sum(map(len, row)), _BATCH_CHARACTERS)
