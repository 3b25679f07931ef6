"""Mined pairs in a file: TSV, JSON Lines or Parquet."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from typing import IO, Any

from ..batches import batches
from ..corpus.files import COMPRESSED
from ..corpus.writing import STDOUT
from ..errors import UsageError
from ..extras import require
from ..mining import Mined
from ..surrogates import without_surrogates

_GROUP = 100_000  # pairs of a group of rows
_IN_NAMES = {"jsonl": "jsonl", "ndjson": "jsonl", "parquet": "parquet"}


def mined_format(out: str, to: str | None) -> str:
    """As told, or as the name says; what is neither is a TSV.

    Raises:
        UsageError: no such format, or it cannot be written there.
    """
    if to is not None and to not in WRITERS:
        raise UsageError(f"cannot write pairs as {to!r}", hint=f"one of {', '.join(WRITERS)}")
    name = re.sub(rf"(\.(?:{'|'.join(COMPRESSED)}))+$", "", out.lower())
    chosen = to or _IN_NAMES.get(name.rpartition(".")[2], "tsv")
    if chosen == "parquet":
        require("pyarrow", "data", "writing Parquet")
        if out == STDOUT:
            raise UsageError("Parquet cannot be written to standard output", hint="name a file with -o")
    return chosen


def write_mined(file: IO[bytes], mined: Iterable[Mined], ids: bool, format: str) -> None:
    """`ids` puts the numbers of the lines behind the score."""
    WRITERS[format](file, mined, ids)


def _write_tsv(file: IO[bytes], mined: Iterable[Mined], ids: bool) -> None:
    for pair in mined:
        lines = [str(pair.source_line), str(pair.target_line)] if ids else []
        texts = (" ".join(without_surrogates(text).split()) for text in (pair.source, pair.target))
        file.write("\t".join([f"{pair.score:.6f}", *lines, *texts]).encode() + b"\n")


def _write_jsonl(file: IO[bytes], mined: Iterable[Mined], ids: bool) -> None:
    for pair in mined:
        file.write(json.dumps(_named(pair, ids), ensure_ascii=False).encode() + b"\n")


def _write_parquet(file: IO[bytes], mined: Iterable[Mined], ids: bool) -> None:
    arrow, parquet = (require(module, "data", "writing Parquet") for module in ("pyarrow", "pyarrow.parquet"))
    lines = [("source_line", arrow.int64()), ("target_line", arrow.int64())] if ids else []
    texts = [("source", arrow.string()), ("target", arrow.string())]
    schema = arrow.schema([("score", arrow.float64()), *lines, *texts])
    with parquet.ParquetWriter(file, schema, compression="zstd") as writer:
        for some in batches(mined, _GROUP):
            writer.write_table(arrow.Table.from_pylist([_named(pair, ids) for pair in some], schema))


def _named(pair: Mined, ids: bool) -> dict[str, Any]:
    lines = {"source_line": pair.source_line, "target_line": pair.target_line} if ids else {}
    texts = {"source": without_surrogates(pair.source), "target": without_surrogates(pair.target)}
    return {"score": round(pair.score, 6)} | lines | texts


WRITERS: dict[str, Callable[[IO[bytes], Iterable[Mined], bool], None]] = {
    "tsv": _write_tsv,
    "jsonl": _write_jsonl,
    "parquet": _write_parquet,
}
