"""Damaged files of every table-like format give pairs or an error for users, and nothing else.

CALQUE_FUZZ=60 looks for a minute at each.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import resource
import sys
import zipfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
import zstandard
from mutations import mutations
from reading import written

from calque.corpus import Pair, find_bitexts
from calque.errors import CalqueError

ROWS = [(f"A dog, no. {number}, runs.", f'El "perro" {number} corre: ñ 犬 🙂') for number in range(60)]
MOST_MEMORY = 1 << 29


def zipped(method: int, **entries: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive:
        for name, content in entries.items():
            archive.writestr(name.replace("_", "."), content)
    return file.getvalue()


def parallel(side: int) -> bytes:
    return "".join(f"{row[side]}\n" for row in ROWS).encode()


def table(**options: Any) -> Any:
    pa = pytest.importorskip("pyarrow")
    columns = {"id": list(range(len(ROWS))), "en": [row[0] for row in ROWS], "es": [row[1] for row in ROWS]}
    if options.get("nested"):
        return pa.table({"translation": [{"en": source, "es": target} for source, target in ROWS]})
    made = pa.table(columns)
    if options.get("dictionary"):
        made = made.set_column(1, "en", made["en"].dictionary_encode())
    return made


def parquet(nested: bool = False, **options: Any) -> bytes:
    file = io.BytesIO()
    pytest.importorskip("pyarrow.parquet").write_table(table(nested=nested), file, row_group_size=25, **options)
    return file.getvalue()


def arrow(kind: str, compression: str | None = None, **options: Any) -> bytes:
    ipc = pytest.importorskip("pyarrow.ipc")
    made, file = table(**options), io.BytesIO()
    with getattr(ipc, f"new_{kind}")(file, made.schema, options=ipc.IpcWriteOptions(compression=compression)) as writer:
        writer.write_table(made, max_chunksize=25)
    return file.getvalue()


TSV = written("tsv", ROWS)
SAMPLES: dict[str, Callable[[], bytes]] = {
    "sample.tsv": lambda: TSV,
    "header.tsv": lambda: b"id\tsource\ttarget\n" + b"".join(b"1\t" + line for line in TSV.splitlines(keepends=True)),
    "sample.csv": lambda: written("csv", ROWS, ("en", "es")),
    "semicolons.csv": lambda: written("csv", ROWS).replace(b",", b";"),
    "sample.jsonl": lambda: written("jsonl", ROWS, ("en", "es")),
    "escaped.jsonl": lambda: b'["\\u00e9\\ud83d\\ude42", "\\n"]\n' * 40,
    "sample.parquet": lambda: parquet(compression="zstd"),
    "nested.parquet": lambda: parquet(nested=True, compression="none", data_page_version="2.0"),
    "sample.arrow": lambda: arrow("file", "zstd"),
    "stream.arrow": lambda: arrow("stream", dictionary=True),
    "moses.zip": lambda: zipped(zipfile.ZIP_DEFLATED, README=b"x", c_en=parallel(0), c_es=parallel(1)),
    "lzma.zip": lambda: zipped(zipfile.ZIP_LZMA, pairs_tsv=TSV),
    "sample.gz": lambda: gzip.compress(TSV),
    "sample.bz2": lambda: bz2.compress(TSV),
    "sample.xz": lambda: lzma.compress(TSV),
    "sample.zst": lambda: zstandard.ZstdCompressor().compress(TSV),
}


def read_all(*paths: Path) -> int:
    count = 0
    for bitext in find_bitexts([str(path) for path in paths]):
        for batch in bitext.batches():
            count += len(batch)
            for pair in batch:
                assert type(pair) is Pair
                pair.source.encode()
                pair.target.encode()
    return count


def memory() -> int:
    """The most that this process has ever held."""
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


@pytest.mark.parametrize("name", SAMPLES)
def test_a_damaged_file_gives_pairs_or_an_error(tmp_path: Path, name: str) -> None:
    whole = SAMPLES[name]()
    path = tmp_path / name
    path.write_bytes(whole)
    assert read_all(path) >= 40
    before = memory()
    for content in mutations([whole]):
        path.write_bytes(content)
        with suppress(CalqueError):
            read_all(path)
    assert memory() - before < MOST_MEMORY


def test_damaged_parallel_files_give_pairs_or_an_error(tmp_path: Path) -> None:
    one, two = tmp_path / "text.en", tmp_path / "text.es"
    two.write_bytes(parallel(1))
    for content in mutations([parallel(0)]):
        one.write_bytes(content)
        with suppress(CalqueError):
            read_all(one, two)
