"""Vectors beside what they are of: a Parquet file with one column more."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from ..batches import text_batches
from ..corpus.files import HEAD, STDIN, open_bytes
from ..corpus.formats.detect import detect
from ..corpus.texts import PARQUET, Column, column_texts, read_texts, record_batches
from ..corpus.writing import open_output
from ..encoder import Vectors
from ..errors import CorpusError, UsageError
from ..extras import require
from ..surrogates import without_surrogates

TEXT, VECTOR = "text", "vector"

Arrow = Any  # something of pyarrow's, which tells no types


def encode_parquet(
    encode: Callable[[list[str]], Vectors],
    dimension: int,
    path: str | Path,
    out: str | Path,
    column: Column | None,
    report: Callable[[int], None] = lambda rows: None,
) -> int:
    """Writes the rows of a Parquet file, or the texts of any other, with their vectors, and returns how many."""
    arrow, parquet = (require(module, "data", "writing Parquet") for module in ("pyarrow", "pyarrow.parquet"))
    if str(out) == STDIN:
        raise UsageError("Parquet cannot be written to standard output", hint="name a file, or pass --format raw")
    vector = arrow.field(VECTOR, arrow.list_(arrow.float32(), dimension))
    rows, writer = 0, None
    with open_output(str(out)) as file:
        try:
            for batch, texts in _batches(path, column):
                if VECTOR in batch.schema.names:
                    raise CorpusError(f"{path} has a column {VECTOR} already", hint="give that one another name")
                values = arrow.array(encode(texts).reshape(-1))
                vectors = arrow.FixedSizeListArray.from_arrays(values, dimension)
                whole = arrow.Table.from_batches([batch]).append_column(vector, vectors)
                writer = writer or parquet.ParquetWriter(file, whole.schema, compression="zstd")
                writer.write_table(whole)
                rows += len(texts)
                report(rows)
            if writer is None:
                writer = parquet.ParquetWriter(file, arrow.schema([(TEXT, arrow.string()), vector]))
        finally:
            if writer is not None:
                writer.close()
    return rows


def _batches(path: str | Path, column: Column | None) -> Iterator[tuple[Arrow, list[str]]]:
    arrow = require("pyarrow", "data", "writing Parquet")
    name = str(path)
    if name != STDIN:
        with open_bytes(path) as file:
            if detect(file.peek(HEAD), name) == PARQUET:
                for batch in record_batches(file, name):
                    yield batch, column_texts(batch, column, name)
                return
    for texts in text_batches(read_texts(path, column)):
        storable = [without_surrogates(text) for text in texts]
        yield arrow.record_batch([arrow.array(storable, arrow.string())], names=[TEXT]), texts
