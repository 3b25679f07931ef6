"""A file of texts to a file of vectors, streamed."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import IO, Literal

import numpy as np

from ..atomic import writing
from ..batches import weighed
from ..corpus.files import STDIN
from ..corpus.texts import Column, read_texts
from ..encoder import Vectors
from ..errors import UsageError
from ..model import Model
from .inputs import spare_inputs

Format = Literal["npy", "raw", "parquet"]

_BATCH = 1 << 15  # lines
_BATCH_CHARACTERS = 1 << 24  # so that a file of very long lines is not held in memory either


def encode_lines(
    model: Model,
    path: str | Path,
    *,
    normalize: bool = False,
    threads: int | None = None,
    language: str | None = None,
    column: Column | None = None,
) -> Iterator[Vectors]:
    """The vectors of a file's lines, or of a table's column, some thousands at a time."""
    for batch in weighed(read_texts(path, column), _BATCH, len, _BATCH_CHARACTERS):
        yield model.encode(batch, normalize=normalize, threads=threads, language=language)


def encode_file(
    model: Model,
    path: str | Path,
    out: str | Path,
    *,
    format: Format | None = None,
    normalize: bool = False,
    threads: int | None = None,
    language: str | None = None,
    column: Column | None = None,
    report: Callable[[int], None] = lambda lines: None,
) -> int:
    """Writes one vector a line to `out` and returns how many.

    `npy` is numpy's format; `raw` is float32 without any header, as LASER's tools and vecalign exchange vectors;
    `parquet` has a column `vector` behind those of a Parquet file, or behind the `text`. The format follows from the
    name of `out` (`.npy`, `.parquet`, or `.raw`, `.f32`, `.emb`, `.bin`) unless given. `-` is standard output.
    `column` chooses one of a TSV's or a Parquet file's.

    Raises:
        UsageError: the format can be neither seen nor written to standard output.
    """
    spare_inputs([str(out)], [str(path)])
    chosen = format or _format_of(out)
    if chosen == "parquet":
        from .encode_parquet import encode_parquet

        encode = partial(model.encode, normalize=normalize, threads=threads, language=language)
        return encode_parquet(encode, model.dimension, path, out, column, report)
    batches = encode_lines(model, path, normalize=normalize, threads=threads, language=language, column=column)
    if str(out) == STDIN:
        if chosen == "npy":
            raise UsageError(
                "npy begins with the number of lines, which standard output cannot be told afterwards",
                hint="pass --format raw, or write to a file",
            )
        return _write(sys.stdout.buffer, batches, report)
    with writing(out) as file:
        if chosen == "npy":
            file.write(_header(0, model.dimension))
        lines = _write(file, batches, report)
        if chosen == "npy":
            file.seek(0)
            file.write(_header(lines, model.dimension))
    return lines


def _write(file: IO[bytes], batches: Iterator[Vectors], report: Callable[[int], None]) -> int:
    lines = 0
    for vectors in batches:
        file.write(vectors.reshape(-1).view(np.uint8).data)
        lines += len(vectors)
        report(lines)
    file.flush()
    return lines


def _header(lines: int, dimension: int) -> bytes:
    """numpy's header, padded so that any number of lines takes the same space."""
    described = f"{{'descr': '{np.dtype('<f4').str}', 'fortran_order': False, 'shape': ({lines}, {dimension}), }}"
    return b"\x93NUMPY\x01\x00" + (118).to_bytes(2, "little") + described.ljust(117).encode() + b"\n"


def _format_of(out: str | Path) -> Format:
    suffix = Path(out).suffix
    if suffix == ".npy":
        return "npy"
    if suffix == ".parquet":
        return "parquet"
    if suffix in (".raw", ".f32", ".emb", ".bin") or str(out) == STDIN:
        return "raw"
    raise UsageError(f"{out}: the name does not say which format to write", hint="pass --format npy, raw or parquet")
