"""What Parquet and Arrow share: record batches, of which two columns of text are pairs."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from ...errors import CalqueError, CorpusError
from ...extras import require
from ..fields import choose_fields
from ..pair import Languages, Pair, Wanted
from .json_lines import NESTED

ROWS = 1024  # taken at once

Arrow = Any  # something of pyarrow's, which tells no types


@dataclass(frozen=True)
class TextColumns:
    """Two columns by name, perhaps both inside a third, as Hugging Face has its "translation"."""

    first: str
    second: str
    inside: str | None
    languages: Languages | None

    @property
    def paths(self) -> list[str]:
        return [f"{self.inside}.{name}" if self.inside else name for name in (self.first, self.second)]


def text_columns(schema: Arrow, wanted: Wanted, name: str) -> TextColumns:
    """The columns of the two sides; what holds no text is passed over unless the user names it.

    Raises:
        CorpusError: none that make sense, or not of text.
    """
    arrow = require("pyarrow", "data", "reading columns")
    fields, inside = list(schema), None
    nested = [field for field in fields if field.name == NESTED and arrow.types.is_struct(field.type)]
    if nested:
        fields, inside = list(nested[0].type), NESTED
    if not wanted.columns:
        fields = [field for field in fields if is_text(field.type)]
    if len(fields) < 2:
        listed = ", ".join(f"{field.name} ({field.type})" for field in list(schema)[:12])
        raise CorpusError(
            f"{name}: expected two columns of text, got {len(fields)} among {listed or 'none'}",
            hint="a bitext has a column for each language",
        )
    names = [field.name for field in fields]
    chosen = choose_fields(names, wanted, name)
    for at in (chosen.first, chosen.second):
        if not is_text(fields[at].type):
            raise CorpusError(
                f"{name}, column {names[at]!r}: expected text, got {fields[at].type}", hint="--columns chooses others"
            )
        if names.count(names[at]) > 1:
            raise CorpusError(f"{name}: two columns are called {names[at]!r}", hint="give one another name")
    return TextColumns(names[chosen.first], names[chosen.second], inside, chosen.languages)


def is_text(type: Arrow) -> bool:
    types = require("pyarrow", "data", "reading columns").types
    if types.is_dictionary(type):
        return is_text(type.value_type)
    kinds = ("string", "large_string", "string_view", "binary", "large_binary", "binary_view", "null")
    checks = [getattr(types, f"is_{kind}", None) for kind in kinds]  # views are not in every release
    return any(check(type) for check in checks if check)


def pairs_of(batches: Iterable[Arrow], columns: TextColumns, name: str) -> Iterator[list[Pair]]:
    """Nulls are blank.

    Raises:
        CorpusError: text that is not UTF-8; a broken file.
    """
    rows = 0
    batches = iter(batches)
    while True:
        with saying(name, rows):
            batch = next(batches, None)
            if batch is None:
                return
            sources, targets = (column_of(batch, each, columns.inside) for each in (columns.first, columns.second))
        for begin in range(0, len(sources), ROWS):
            with saying(name, rows):
                left, right = texts_of(sources.slice(begin, ROWS)), texts_of(targets.slice(begin, ROWS))
            rows += len(left)
            yield list(map(Pair, left, right))


def column_of(batch: Arrow, name: str, inside: str | None = None) -> Arrow:
    column = batch.column(inside or name)
    column.validate(full=True)  # else bytes that a file merely claims to have would be read
    if inside:
        names = [field.name for field in column.type]
        column = column.flatten()[names.index(name)]  # which knows of nulls outside
    return column


def texts_of(column: Arrow) -> list[Any]:
    arrow = require("pyarrow", "data", "reading columns")
    texts = column if column.type == arrow.string() else column.cast(arrow.string())
    if texts.null_count:
        texts = texts.fill_null("")
    made: list[Any] = texts.to_numpy(zero_copy_only=False).tolist()
    return made


@contextlib.contextmanager
def saying(name: str, rows: int = 0) -> Iterator[None]:
    """Turns what pyarrow says of a file that is not what it should be into an error that names it."""
    try:
        yield
    except CalqueError:
        raise
    except (OSError, ValueError, MemoryError, LookupError, TypeError, NotImplementedError) as problem:
        reason = (str(problem).splitlines() or [type(problem).__name__])[0][:200]
        where = f", after {rows:,} pairs" if rows else ""
        raise CorpusError(
            f"{name}{where}: the file is broken or cut short ({reason})", hint="fetch or make it again"
        ) from problem
