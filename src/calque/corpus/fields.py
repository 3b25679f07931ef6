"""Which two of several named fields hold the source and the target: TSV headers, JSON keys, Parquet columns."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from ..errors import CorpusError
from .languages import CODE, best_fit, is_language, standard
from .pair import Columns, Languages, Wanted

SOURCE_TARGET = ("source", "target")
_USUAL = [SOURCE_TARGET, ("src", "tgt"), ("src", "trg"), ("sentence1", "sentence2")]


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
    if len(names) == 2 and not (wanted.languages and names_languages(names)):
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


def is_header(cells: Sequence[str], wanted: Wanted, *, codes: bool = False) -> bool:
    """Whether a first line names its columns: it must if the user does, and it does if it says the languages.

    With `codes`, it also does if it holds nothing but languages, like en and es, though nobody asked for them.
    """
    if wanted.columns:
        if any(isinstance(column, str) for column in wanted.columns):
            return True
        cells = [cells[int(column) - 1] for column in wanted.columns if int(column) <= len(cells)]
    if len(cells) < 2:
        return False
    if wanted.languages:
        found = [best_fit(language, cells) for language in wanted.languages]
        if None not in found and found[0] != found[1]:
            return True
    return _usual(cells) is not None or (codes and names_languages(cells))


def by_number(cells: Sequence[str], wanted: Wanted, place: str) -> Chosen:
    """The columns of a table without a header.

    Raises:
        CorpusError: more than two, and nothing says which.
    """
    if wanted.columns is None:
        if len(cells) > 2 and wanted.languages:
            raise CorpusError(
                f"{place}: {len(cells)} columns, and no header that names {' and '.join(wanted.languages)}",
                hint="say which columns hold them: --columns 1,2",
            )
        first, second = (1, 0) if wanted.swapped else (0, 1)
        return Chosen(first, second, wanted.languages)
    first, second = (int(column) - 1 for column in wanted.columns)
    return Chosen(first, second, wanted.languages)


def wrong_width(place: str, found: int, last: int, exactly: int, rule: str) -> CorpusError:
    """A row has not `exactly` as many columns as it should or, if that is 0, lacks the last one needed (from 0)."""
    if not exactly:
        return CorpusError(f"{place}: no column {last + 1}, only {found}", hint=rule)
    if found > exactly:
        rule = f"pass --columns 1,2 (or others of the {found}) to say which hold the source and the target"
    return CorpusError(f"{place}: expected {exactly} columns, got {found}", hint=rule)


def names_languages(names: Sequence[str]) -> bool:
    """Whether each is a different language's code, all of one length: the and el are words, en and el are not."""
    if not all(CODE.fullmatch(name) and is_language(name) for name in names):
        return False
    lengths = {len(re.split("[-_]", name)[0]) for name in names}
    return len(lengths) == 1 and len({standard(name) for name in names}) == len(names)


def names_for(languages: Languages | None) -> tuple[str, str]:
    """What the two fields of a file that is written are called, so that its reader needs no options."""
    return languages if languages and languages[0] != languages[1] else SOURCE_TARGET


def check_columns(columns: Columns) -> Columns:
    if columns[0] == columns[1] or any(isinstance(column, int) and column < 1 for column in columns):
        raise CorpusError(
            f"expected two different columns, counted from 1, got {columns[0]},{columns[1]}", hint="like --columns 1,2"
        )
    return columns


def _place_of(column: int | str, names: Sequence[str], place: str) -> int:
    if isinstance(column, int):
        if column <= len(names):
            return column - 1
        raise CorpusError(
            f"{place}: no column {column}, only {len(names)}", hint=f"columns are counted from 1: {_listed(names)}"
        )
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
