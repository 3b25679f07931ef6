"""Texts from a file of lines, or from one column of a table."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from ..errors import CorpusError, UsageError
from ..extras import require
from .files import HEAD, open_bytes
from .formats import format_of
from .formats.columnar import Arrow, column_of, is_text, saying, texts_of
from .formats.detect import detect
from .lines import line_batches

Column = int | str  # from 1 on, or by its name

PARQUET = "parquet"
_ROWS = 1 << 13  # of a table, taken at once
_NO_LINES = ("tmx", "xliff", "po", "zip", "arrow", PARQUET)


def read_texts(path: str | Path, column: Column | None = None) -> Iterator[str]:
    """The lines of a file; or with `column`, or if it is Parquet, the texts of one column.

    A TSV's column is a number, or a name that its first line has.

    Raises:
        CorpusError: no such column, or several and none chosen; what `read_lines` would raise.
    """
    name = str(path)
    with open_bytes(path) as file:
        if detect(file.peek(HEAD), name) == PARQUET:
            for batch in record_batches(file, name):
                yield from column_texts(batch, column, name)
        elif column is None:
            yield from chain.from_iterable(line_batches(file, name))
        else:
            yield from _cells(chain.from_iterable(line_batches(file, name)), column, name)


def require_lines(path: str | Path, columns: bool = False) -> str:
    """What a file of lines is: a table, perhaps, or text. With `columns`, one of Parquet's columns can be read instead.

    Raises:
        UsageError: a file whose lines are no sentences at all, such as a translation memory.
    """
    format = format_of(path)
    if format in _NO_LINES and not (columns and format == PARQUET):
        raise UsageError(
            f"{path} holds bitext as {format}, and lines of text are expected",
            hint=f"calque corpus convert {path} -o side.en -o side.es makes two files of lines of it",
        )
    return format


def record_batches(file: io.BufferedReader, name: str) -> Iterator[Arrow]:
    """The rows of a Parquet file with all their columns, some thousand at a time; of none, an empty batch.

    So even a file without rows tells its columns, and whether one that is asked for is there.
    """
    from .formats.parquet import open_parquet

    with saying(name):
        opened = open_parquet(file, name)
        batches = opened.iter_batches(batch_size=_ROWS, use_threads=False)
    told = False
    while True:
        with saying(name):
            batch = next(batches, None)
            if batch is None and not told:
                batch = _no_rows(opened.schema_arrow)
        if batch is None:
            return
        told = True
        yield batch


def _no_rows(schema: Arrow) -> Arrow:
    arrow: Any = require("pyarrow", "data", "reading Parquet")
    return arrow.RecordBatch.from_arrays(
        [column.combine_chunks() for column in schema.empty_table().columns], schema=schema
    )


def column_texts(batch: Arrow, column: Column | None, name: str) -> list[str]:
    """The texts of the column that is asked for, or of the only one of text.

    Raises:
        CorpusError: there is no such column, or none is asked for and there are several.
    """
    fields = {field.name: field.type for field in batch.schema}
    texts = [name for name, type in fields.items() if is_text(type)]
    if column is None and len(texts) != 1:
        raise CorpusError(
            f"{name}: expected one column of text, got {len(texts)} among {', '.join(fields) or 'none'}",
            hint="--column NAME says which to read",
        )
    chosen = texts[0] if column is None else list(fields)[_place(column, list(fields), name)]
    if chosen not in texts:
        raise CorpusError(f"{name}, column {chosen!r}: expected text, got {fields[chosen]}")
    with saying(name):
        return texts_of(column_of(batch, chosen))


def _cells(lines: Iterable[str], column: Column, name: str) -> Iterator[str]:
    lines = iter(lines)
    place, number = 0, 0
    if isinstance(column, str):
        place, number = _place(column, next(lines, "").split("\t"), name), 1
    else:
        place = column - 1
    for line in lines:
        number += 1
        cells = line.split("\t")
        if not 0 <= place < len(cells):
            raise CorpusError(
                f"{name}, line {number}: no column {place + 1}, only {len(cells)}",
                hint="columns are separated by one tab, and counted from 1",
            )
        yield cells[place]


def _place(column: Column, names: Sequence[str], name: str) -> int:
    if isinstance(column, int) and 0 < column <= len(names):
        return column - 1
    if isinstance(column, str) and names.count(column) == 1:
        return names.index(column)
    listed = ", ".join(names[:12]) or "none"
    raise CorpusError(f"{name}: no column {column} among {listed}", hint="--column takes a name, or a number from 1")
