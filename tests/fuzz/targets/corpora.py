"""Bitext in every format that is read, compressed and not."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import random
import sys
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from shutil import rmtree
from typing import Any

sys.path.append(str(Path(__file__).resolve().parents[2] / "corpus" / "formats"))

import zstandard
from reading import written
from target import Mutate, Targets, Trial
from test_po import WEBLATE
from test_tmx import OMEGAT, TRADOS
from test_xliff import MEMOQ, OKAPI
from test_xliff import TRADOS as SDLXLIFF

from calque.corpus import Pair, find_bitexts
from calque.corpus.download.archives import check_archive, unpack
from calque.corpus.formats import detect
from calque.corpus.scored import read_scored_pairs
from calque.corpus.texts import read_texts
from mutations import MARKUP, mutated

ROWS = [(f"A dog, no. {number}, runs.", f'El "perro" {number} corre: ñ 犬 🙂') for number in range(60)]
TSV = written("tsv", ROWS)


def markup_mutated(whole: bytes, chance: random.Random) -> bytes:
    return mutated(whole, chance, MARKUP)


def bitext(name: str, *seeds: Callable[[], bytes], mutate: Mutate = mutated, **options: Any) -> Callable[[Path], Trial]:
    """Read as a command does it; what is read must be text that can be written."""

    def made(folder: Path) -> Trial:
        path = folder / name

        def attempt(content: bytes) -> None:
            path.write_bytes(content)
            detect(content[: 1 << 16], name)
            for found in find_bitexts([str(path)], **options):
                for batch in found.batches():
                    for pair in batch:
                        assert type(pair) is Pair
                        pair.source.encode()
                        pair.target.encode()

        return Trial([seed() for seed in seeds], attempt, mutate)

    return made


def packed(pack: Callable[[bytes], bytes]) -> Mutate:
    """Damage to what is packed, or to the packing; what cannot be unpacked any more is damaged as it is."""

    def mutate(whole: bytes, chance: random.Random) -> bytes:
        if chance.random() < 0.7:
            return mutated(whole, chance)
        return pack(mutated(TSV, chance))

    return mutate


def parallel(folder: Path) -> Trial:
    one, two = folder / "text.en", folder / "text.es"
    two.write_bytes(side(1))

    def attempt(content: bytes) -> None:
        one.write_bytes(content)
        for found in find_bitexts([str(one), str(two)]):
            for _ in found.pairs():
                pass

    return Trial([side(0)], attempt)


def scored(folder: Path) -> Trial:
    path = folder / "dev.tsv"

    def attempt(content: bytes) -> None:
        path.write_bytes(content)
        read_scored_pairs(path)

    return Trial(["".join(f"{at % 6}.5\t{one}\t{two}\n" for at, (one, two) in enumerate(ROWS)).encode()], attempt)


def texts(name: str, column: int | str | None, *seeds: Callable[[], bytes]) -> Callable[[Path], Trial]:
    """One column of a table, as commands that read text take it."""

    def made(folder: Path) -> Trial:
        path = folder / name

        def attempt(content: bytes) -> None:
            path.write_bytes(content)
            for text in read_texts(path, column):
                text.encode()

        return Trial([seed() for seed in seeds], attempt)

    return made


def archive(name: str, seed: Callable[[], bytes]) -> Callable[[Path], Trial]:
    def made(folder: Path) -> Trial:
        path, out = folder / name, folder / "unpacked"

        def attempt(content: bytes) -> None:
            path.write_bytes(content)
            check_archive(path, name)
            try:
                unpack(path, out)
            finally:
                rmtree(out)

        return Trial([seed()], attempt)

    return made


def side(at: int) -> bytes:
    return "".join(f"{row[at]}\n" for row in ROWS).encode()


def zipped(method: int, **entries: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as made:
        for name, content in entries.items():
            made.writestr(name.replace("_", "."), content)
    return file.getvalue()


def tarred(mode: str) -> bytes:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode=mode) as made:  # type: ignore[call-overload]
        for name, content in (("sets/a.en", side(0)), ("sets/a.es", side(1))):
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            made.addfile(entry, io.BytesIO(content))
    return file.getvalue()


def table(nested: bool = False, dictionary: bool = False) -> Any:
    import pyarrow as pa

    if nested:
        return pa.table({"translation": [{"en": source, "es": target} for source, target in ROWS]})
    made = pa.table({"id": list(range(len(ROWS))), "en": [row[0] for row in ROWS], "es": [row[1] for row in ROWS]})
    return made.set_column(1, "en", made["en"].dictionary_encode()) if dictionary else made


def parquet(nested: bool = False, **options: Any) -> bytes:
    from pyarrow.parquet import write_table

    file = io.BytesIO()
    write_table(table(nested), file, row_group_size=25, **options)
    return file.getvalue()


def parquet_of_one() -> bytes:
    from pyarrow.parquet import write_table

    file = io.BytesIO()
    write_table(table().drop_columns(["es"]), file, row_group_size=25, data_page_version="2.0")
    return file.getvalue()


def arrow(kind: str, compression: str | None = None, **options: Any) -> bytes:
    import pyarrow.ipc as ipc

    made, file = table(**options), io.BytesIO()
    with getattr(ipc, f"new_{kind}")(file, made.schema, options=ipc.IpcWriteOptions(compression=compression)) as writer:
        writer.write_table(made, max_chunksize=25)
    return file.getvalue()


def catalogue(language: str) -> bytes:
    import django

    return (
        (Path(django.__file__).parent / f"conf/locale/{language}/LC_MESSAGES/django.po")
        .read_bytes()[:6000]
        .rpartition(b"\n\n")[0]
    )


def with_header() -> bytes:
    return b"id\tsource\ttarget\n" + b"".join(b"1\t" + line for line in TSV.splitlines(keepends=True))


zstd = zstandard.ZstdCompressor().compress
languages = ("en", "es")
TARGETS: Targets = {
    "tsv": bitext("sample.tsv", lambda: TSV),
    "tsv-with-header": bitext("header.tsv", with_header),
    "csv": bitext(
        "sample.csv",
        lambda: written("csv", ROWS, languages),
        lambda: written("csv", ROWS).replace(b",", b";"),
    ),
    "jsonl": bitext(
        "sample.jsonl",
        lambda: written("jsonl", ROWS, languages),
        lambda: b'["\\u00e9\\ud83d\\ude42", "\\n"]\n' * 40,
    ),
    "tmx": bitext(
        "sample.tmx",
        OMEGAT.encode,
        lambda: TRADOS.encode("utf-16"),
        lambda: written("tmx", ROWS[:30], languages),
        mutate=markup_mutated,
    ),
    "xliff": bitext(
        "sample.xlf", MEMOQ.encode, OKAPI.encode, SDLXLIFF.encode, lambda: OKAPI.encode("utf-16"), mutate=markup_mutated
    ),
    "po": bitext(
        "sample.po",
        WEBLATE.encode,
        lambda: catalogue("ru"),
        lambda: WEBLATE.replace("UTF-8", "EUC-JP").encode("euc_jp", "ignore"),
        mutate=markup_mutated,
    ),
    "parquet": bitext(
        "sample.parquet",
        lambda: parquet(compression="zstd"),
        lambda: parquet(nested=True, compression="none", data_page_version="2.0"),
    ),
    "arrow": bitext("sample.arrow", lambda: arrow("file", "zstd"), lambda: arrow("stream", dictionary=True)),
    "opus-zip": bitext(
        "corpus.zip",
        lambda: zipped(zipfile.ZIP_DEFLATED, README=b"x", c_en=side(0), c_es=side(1)),
        lambda: zipped(zipfile.ZIP_LZMA, pairs_tsv=TSV),
    ),
    "gz": bitext("sample.tsv.gz", lambda: gzip.compress(TSV), mutate=packed(gzip.compress)),
    "bz2": bitext("sample.tsv.bz2", lambda: bz2.compress(TSV), mutate=packed(bz2.compress)),
    "xz": bitext("sample.tsv.xz", lambda: lzma.compress(TSV), mutate=packed(lzma.compress)),
    "zst": bitext("sample.tsv.zst", lambda: zstd(TSV), mutate=packed(zstd)),
    "moses": parallel,
    "scored-pairs": scored,
    "column-of-tsv": texts("texts.tsv", 2, lambda: TSV, with_header),
    "named-column-of-tsv": texts("named.tsv", "source", with_header),
    "column-of-parquet": texts(
        "texts.parquet", "en", lambda: parquet(compression="zstd"), lambda: parquet(compression="none")
    ),
    "only-column-of-parquet": texts("only.parquet", None, parquet_of_one),
    "tar": archive("sets.tar", lambda: tarred("w:")),
    "tar-gz": archive("sets.tar.gz", lambda: tarred("w:gz")),
    "zip": archive("sets.zip", lambda: zipped(zipfile.ZIP_DEFLATED, a_en=side(0), b_es=side(1))),
}
