"""Reading and cleaning bitext: MB/s and peak memory, beside the readers that people use, each in its own process."""

from __future__ import annotations

import gzip
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from itertools import chain, islice
from pathlib import Path

from common import bitext_path, machine, print_table

from calque.corpus import Pair, find_bitexts
from calque.corpus.cleaning import Report, choose_rules, clean_batches
from calque.corpus.writing import write_bitext

TIMES = 3  # the fastest counts
TMX_PAIRS = 60_000  # the translate-toolkit holds them all
GIGABYTE = 1_000_000_000


# What is timed: each returns the number of pairs it saw.


def calque_pairs(path: str) -> int:
    (bitext,) = find_bitexts([path])
    return sum(map(len, bitext.batches()))


def calque_clean(path: str) -> int:
    report = Report()
    (bitext,) = find_bitexts([path])
    with open(os.devnull, "wb") as nowhere:
        for kept in clean_batches(bitext.batches(), choose_rules("light"), report, threads=os.cpu_count() or 1):
            nowhere.write("\n".join(map("\t".join, kept)).encode())
    return report.read


def python_pairs(path: str) -> int:
    opened = gzip.open(path, "rt", encoding="utf-8") if path.endswith(".gz") else open(path, encoding="utf-8")  # noqa: SIM115
    with opened as file:
        return sum(len(line.rstrip("\n").split("\t")) == 2 for line in file)


def pyarrow_columns(path: str) -> int:
    return sum(batch.num_rows for batch in _pyarrow_batches(path))


def pyarrow_pairs(path: str) -> int:
    columns = ((batch.column(0).to_pylist(), batch.column(1).to_pylist()) for batch in _pyarrow_batches(path))
    return sum(len(list(zip(source, target, strict=True))) for source, target in columns)


def polars_columns(path: str) -> int:
    return sum(batch.height for batch in _polars_batches(path))


def polars_pairs(path: str) -> int:
    return sum(len(batch.rows()) for batch in _polars_batches(path))


def toolkit_tmx(path: str) -> int:
    from translate.storage.tmx import tmxfile

    return sum(1 for unit in tmxfile.parsefile(path).units if unit.source and unit.target)


def toolkit_po(path: str) -> int:
    from translate.storage.pypo import pofile

    return sum(1 for unit in pofile.parsefile(path).units if unit.source and unit.target)


def _pyarrow_batches(path: str) -> Iterator:
    from pyarrow import csv

    return csv.open_csv(
        path,
        read_options=csv.ReadOptions(column_names=["source", "target"]),
        parse_options=csv.ParseOptions(delimiter="\t", quote_char=False),
        convert_options=csv.ConvertOptions(column_types={"source": "string", "target": "string"}),
    )


def _polars_batches(path: str) -> Iterator:
    import polars

    schema = {"source": polars.String, "target": polars.String}
    lazy = polars.scan_csv(path, separator="\t", has_header=False, quote_char=None, schema=schema)
    return lazy.collect_batches(chunk_size=50_000)


# The files, made from real text.


def make_files(folder: Path) -> dict[str, Path]:
    made = {name: folder / name for name in ("europarl.tsv", "europarl.tsv.gz", "europarl.tmx", "libreoffice.po")}
    pairs = list(chain(*(_pairs(f"europarl.en-{language}", 350_000) for language in ("es", "de", "fr"))))
    write_bitext([str(made["europarl.tsv"])], [pairs])
    write_bitext([str(made["europarl.tsv.gz"])], [pairs[:200_000]])
    write_bitext([str(made["europarl.tmx"])], [pairs[:TMX_PAIRS]], ("en", "es"))
    _write_po(made["libreoffice.po"], _pairs("libreoffice.en-de", 20_000))
    made["gigabyte.tsv"] = folder / "gigabyte.tsv"
    text = made["europarl.tsv"].read_bytes()
    whole = (text * (GIGABYTE // len(text) + 1))[:GIGABYTE]
    made["gigabyte.tsv"].write_bytes(whole[: whole.rindex(b"\n") + 1])
    return made


def _pairs(name: str, count: int) -> Iterator[Pair]:
    (bitext,) = find_bitexts([str(bitext_path(name))])
    return islice(bitext.pairs(), count)


def _write_po(path: Path, pairs: Iterator[Pair]) -> None:
    from translate.storage.pypo import pofile

    catalogue = pofile()
    for source, target in pairs:
        catalogue.addsourceunit(source).target = target
    catalogue.savefile(str(path))


# Each measurement runs in a process of its own, so that its peak memory is its own too.


def measure(work: Callable[[str], int], path: Path) -> dict[str, float]:
    best: dict[str, float] = {}
    for _ in range(TIMES):
        done = subprocess.run([sys.executable, __file__, work.__name__, str(path)], capture_output=True, text=True)
        if done.returncode:
            sys.exit(done.stderr)
        seen = json.loads(done.stdout)
        best = min(best, seen, key=lambda each: each["seconds"]) if best else seen
    return best


def child(work: str, path: str) -> None:
    begun = time.perf_counter()
    pairs = globals()[work](path)
    seconds = time.perf_counter() - begun
    status = Path("/proc/self/status").read_text()  # getrusage counts the parent's memory too
    memory = int(re.findall(r"VmHWM:\s*(\d+) kB", status)[0]) / 1024
    print(json.dumps({"pairs": pairs, "seconds": seconds, "memory": memory}))


def compare(title: str, path: Path, works: list[tuple[str, Callable[[str], int]]]) -> None:
    megabytes = path.stat().st_size / 1e6
    rows = []
    ours = 0.0
    for name, work in works:
        seen = measure(work, path)
        ours = ours or seen["seconds"]
        ratio = "" if work is works[0][1] else f"{seen['seconds'] / ours:.2f}×"
        rows.append(
            [
                name,
                f"{megabytes / seen['seconds']:,.0f}",
                f"{seen['seconds']:.2f} s",
                f"{seen['memory']:,.0f} MB",
                ratio,
            ]
        )
    print_table(f"{title}: {megabytes:,.0f} MB", ["", "MB/s", "time", "peak memory", "Calque is faster"], rows)


def main() -> None:
    print(machine())
    with tempfile.TemporaryDirectory() as folder:
        files = make_files(Path(folder))
        tsv = [("Calque, as Python pairs", calque_pairs), ("a loop in Python", python_pairs)]
        peers = [
            ("pyarrow, as Arrow columns", pyarrow_columns),
            ("pyarrow, as Python pairs", pyarrow_pairs),
            ("Polars, as its columns", polars_columns),
            ("Polars, as Python pairs", polars_pairs),
        ]
        compare("TSV", files["europarl.tsv"], tsv + peers)
        compare("TSV, gzip (MB/s of the compressed file)", files["europarl.tsv.gz"], tsv + peers[:2])
        compare("TMX", files["europarl.tmx"], [tsv[0], ("translate-toolkit", toolkit_tmx)])
        compare("PO", files["libreoffice.po"], [tsv[0], ("translate-toolkit", toolkit_po)])
        compare(
            "A gigabyte of TSV, cleaned with `light` and written", files["gigabyte.tsv"], [("Calque", calque_clean)]
        )


if __name__ == "__main__":
    if len(sys.argv) == 3:
        child(sys.argv[1], sys.argv[2])
    else:
        main()
