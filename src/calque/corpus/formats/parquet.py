"""Parquet: two columns of text among others, read some rows at a time."""

from __future__ import annotations

import io
from collections.abc import Iterable
from itertools import chain
from typing import IO, Any

from ...extras import require
from ..fields import names_for
from ..files import seekable
from ..pair import Languages, Pair, Reading, Wanted
from .columnar import ROWS, Arrow, pairs_of, saying, text_columns

# A group of rows that is larger is read in pieces. Others are not: there, a broken page could ask for two gigabytes.
_LARGE, _BUFFER = 1 << 28, 1 << 20
_STRING = 1 << 24  # bytes of a text in the file's description
_GROUP_ROWS, _GROUP_TEXT = 100_000, 1 << 26  # a group of rows has that many, or characters


def read(file: io.BufferedReader, name: str, wanted: Wanted) -> Reading:
    with saying(name):
        opened = open_parquet(file, name)
        columns = text_columns(opened.schema_arrow, wanted, name)
        batches = opened.iter_batches(batch_size=ROWS, columns=columns.paths, use_threads=False)
    return Reading(columns.languages, pairs_of(batches, columns, name))


def open_parquet(file: io.BufferedReader, name: str) -> Arrow:
    """A ParquetFile that believes nothing of what it reads."""
    parquet = require("pyarrow.parquet", "data", "reading Parquet")
    source = seekable(file, name)
    limits = {"thrift_string_size_limit": _STRING, "page_checksum_verification": True, "pre_buffer": False}
    opened = parquet.ParquetFile(source, **limits)
    if _largest_group(opened.metadata) > _LARGE:
        opened = parquet.ParquetFile(source, metadata=opened.metadata, buffer_size=_BUFFER, **limits)
    return opened


def _largest_group(metadata: Any) -> int:
    return max((metadata.row_group(at).total_byte_size for at in range(metadata.num_row_groups)), default=0)


def write(file: IO[bytes], batches: Iterable[list[Pair]], languages: Languages | None = None) -> None:
    """Two columns, called after the languages if they are known and differ."""
    arrow, parquet = (require(module, "data", "writing Parquet") for module in ("pyarrow", "pyarrow.parquet"))
    schema = arrow.schema([(name, arrow.string()) for name in names_for(languages)])
    with parquet.ParquetWriter(file, schema, compression="zstd") as writer:
        waiting: list[list[Pair]] = []
        rows = characters = 0
        for batch in batches:
            waiting.append(batch)
            rows += len(batch)
            characters += sum(len(source) + len(target) for source, target in batch)
            if rows >= _GROUP_ROWS or characters >= _GROUP_TEXT:
                writer.write_table(_table(waiting, schema))
                waiting, rows, characters = [], 0, 0
        if rows:
            writer.write_table(_table(waiting, schema))


def _table(batches: list[list[Pair]], schema: Arrow) -> Arrow:
    arrow = require("pyarrow", "data", "writing Parquet")
    sides = [[pair[side] for pair in chain.from_iterable(batches)] for side in (0, 1)]
    try:
        return arrow.table(sides, schema)
    except UnicodeEncodeError:  # half of a surrogate pair
        sides = [[text.encode("utf-8", "replace").decode() for text in side] for side in sides]
        return arrow.table(sides, schema)
