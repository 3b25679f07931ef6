"""Which two of several named fields hold the source and the target: TSV headers, JSON keys, Parquet columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ..errors import CorpusError
from .languages import best_fit, standard
from .pair import Columns, Languages, Wanted

_USUAL = [("source", "target"), ("src", "tgt"), ("src", "trg"), ("sentence1", "sentence2")]


class Chosen(NamedTuple):
    """Places of the two fields, from 0."""

    first: int
    second: int
    languages: Languages | None


def choose_fields(names: Sequence[str], wanted: Wanted, place: str) -> Chosen:
    """The fields that the user wants, or the only two that make sense.

    Raises:
        CorpusError: no such field; more than two, and nothing says which.
    """
    if wanted.columns:
        first, second = (_place_of(column, names, place) for column in wanted.columns)
        return Chosen(first, second, wanted.languages or _told(names[first], names[second]))
    if wanted.languages:
        found = [best_fit(language, names) for language in wanted.languages]
        if found[0] is not None and found[1] is not None and found[0] != found[1]:
            return Chosen(found[0], found[1], wanted.languages)
    usual = _usual(names)
    if usual:
        return Chosen(*usual, wanted.languages)
    if len(names) == 2:
        return Chosen(0, 1, wanted.languages or _told(names[0], names[1]))
    if wanted.languages:
        missing = [language for language, at in zip(wanted.languages, found, strict=True) if at is None]
        raise CorpusError(
            f"{place}: no column for {' and '.join(missing or wanted.languages)} among {_listed(names)}",
            hint="name the two with --columns A,B",
        )
    raise CorpusError(
        f"{place}: expected two columns, got {len(names)}: {_listed(names)}",
        hint="say which hold the source and the target: --columns A,B, or --languages en es if they are named so",
    )


def is_header(cells: Sequence[str], wanted: Wanted) -> bool:
    """Whether a first line names its columns: it must if the user does, and it does if it says the languages."""
    if wanted.columns and any(isinstance(column, str) for column in wanted.columns):
        return True
    if wanted.columns or len(cells) < 2:
        return False
    if wanted.languages:
        found = [best_fit(language, cells) for language in wanted.languages]
        return None not in found and found[0] != found[1]
    return _usual(cells) is not None


def check_columns(columns: Columns) -> Columns:
    if columns[0] == columns[1] or any(isinstance(column, int) and column < 1 for column in columns):
        raise CorpusError(f"expected two different columns, counted from 1, got {columns[0]},{columns[1]}")
    return columns


def _place_of(column: int | str, names: Sequence[str], place: str) -> int:
    if isinstance(column, int):
        if column <= len(names):
            return column - 1
        raise CorpusError(f"{place}: no column {column}, only {len(names)}")
    folded = [name.strip().casefold() for name in names]
    if column.casefold() in folded:
        return folded.index(column.casefold())
    at = best_fit(column, names)
    if at is None:
        raise CorpusError(
            f"{place}: no column {column!r} among {_listed(names)}", hint="numbers work too: --columns 1,2"
        )
    return at


def _usual(names: Sequence[str]) -> tuple[int, int] | None:
    folded = [name.strip().casefold() for name in names]
    for first, second in _USUAL:
        if first in folded and second in folded:
            return folded.index(first), folded.index(second)
    return None


def _told(first: str, second: str) -> Languages | None:
    one, two = standard(first), standard(second)
    return (one, two) if one and two else None


def _listed(names: Sequence[str], most: int = 12) -> str:
    shown = [name[:40] for name in names[:most]]
    return ", ".join(shown) + (" …" if len(names) > most else "")
