"""Alignment: how time and memory grow with the documents, beside Vecalign's own code where it is installed.

Times are those that pass, with two threads for each side wherever its code has threads: the best of some runs, in which
the two take turns, each in a process of its own. The documents are Europarl sentences in two languages, a tenth of them
joined two by two on one side, and some left out.
Vecalign's code comes with the package `sentalign` (pip install sentalign, which needs a C compiler).
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import random
import resource
import time
from collections.abc import Iterable
from typing import Any, NamedTuple

THREADS = 2
os.environ["OPENBLAS_NUM_THREADS"] = str(THREADS)  # read by the imports below
os.environ["OMP_NUM_THREADS"] = str(THREADS)

import numpy as np
from common import bitext_path, machine, print_table

import calque
from calque.corpus import read_bitext

BITEXT = "europarl.en-de"
SIZES = (1000, 2000, 4000, 8000, 16_000, 32_000)
VECALIGN_UP_TO = 8000  # sentences: it holds a vector for every run of both documents
JOINED, LEFT_OUT = 0.1, 0.06
MAX_SIZE = 8

Blocks = list[tuple[tuple[int, ...], tuple[int, ...]]]


class Documents(NamedTuple):
    source: list[str]
    target: list[str]
    gold: Blocks


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", default="box", help="a model of English and German; the one in the box if not given")
    parser.add_argument("--sizes", type=int, nargs="*", default=SIZES)
    parser.add_argument("--times", type=int, default=5, help="runs of each, of which the fastest counts")
    arguments = parser.parse_args()
    bitext_path(BITEXT)
    print(machine())
    rows = []
    for size in arguments.sizes:
        works = (align, vecalign) if size <= VECALIGN_UP_TO else (align,)
        runs = [[in_a_process(work, arguments.model, size) for work in works] for _ in range(arguments.times)]
        ours, theirs = fastest(run[0] for run in runs), fastest(run[1] for run in runs if len(run) > 1)
        rows.append(
            [f"{size:,}", *cells(ours), *cells(theirs), f"{theirs['time'] / ours['time']:.1f}×" if theirs else ""]
        )
    columns = ["sentences", "time", "peak memory", "F1"]
    print_table(
        f"Blocks of up to {MAX_SIZE}, from raw text, {THREADS} threads: Calque, then Vecalign with the same vectors",
        [*columns, *columns[1:], "Calque is faster"],
        rows,
    )


def cells(found: dict[str, Any] | None) -> list[str]:
    return [f"{found['time']:.2f} s", f"{found['memory']:,.0f} MB", f"{100 * found['f1']:.1f}"] if found else [""] * 3


def documents(size: int) -> Documents:
    draw = random.Random(1)
    pairs = read_bitext(bitext_path(BITEXT))
    made = Documents([], [], [])
    while len(made.source) < size:
        add(made, pairs, draw.random(), draw.random() < 0.5)
    return made


def add(made: Documents, pairs: Any, chance: float, first_side: bool) -> None:
    """One pair, or two of which one side is joined, or one side of a pair alone."""
    some = [next(pairs) for _ in range(2 if chance < JOINED else 1)]
    sides = [[pair.source for pair in some], [pair.target for pair in some]]
    if chance < JOINED:
        sides[first_side] = [" ".join(sides[first_side])]
    elif chance < JOINED + LEFT_OUT:
        sides[first_side] = []
    begins = len(made.source), len(made.target)
    made.source.extend(sides[0])
    made.target.extend(sides[1])
    if all(sides):
        numbers = [tuple(range(at, at + len(side))) for at, side in zip(begins, sides, strict=True)]
        made.gold.append((numbers[0], numbers[1]))


def align(folder: str, made: Documents) -> Blocks:
    found = calque.align(made.source, made.target, folder, max_size=MAX_SIZE, threads=THREADS)
    return [(each.source, each.target) for each in found]


def vecalign(folder: str, made: Documents) -> Blocks:
    """As its README runs it, with a vector for each run of sentences."""
    from sentalign.dp_utils import layer, make_alignment_types
    from sentalign.dp_utils import vecalign as run

    model = calque.load(folder)
    sizes = range(1, MAX_SIZE + 1)
    vectors = [
        np.stack([model.encode(layer(side, size), threads=THREADS) for size in sizes])
        for side in (made.source, made.target)
    ]
    np.random.seed(42)
    found = run(
        *vectors,
        make_alignment_types(MAX_SIZE),
        del_percentile_frac=0.2,
        width_over2=MAX_SIZE // 2 + 5,
        max_size_full_dp=300,
        costs_sample_size=20_000,
        num_samps_for_norm=100,
    )
    return [(tuple(one), tuple(two)) for one, two in found[0]["final_alignments"]]


def fastest(runs: Iterable[dict[str, Any] | None]) -> dict[str, Any] | None:
    return min(filter(None, runs), key=lambda found: float(found["time"]), default=None)


def in_a_process(work: Any, folder: str, size: int) -> dict[str, Any] | None:
    """Memory is a process's own; None if what it needs is not installed."""
    ours, theirs = multiprocessing.Pipe()
    process = multiprocessing.get_context("spawn").Process(target=measure, args=(work, folder, size, theirs))
    process.start()
    theirs.close()
    try:
        answer = ours.recv()
    except EOFError:
        answer = "null"
    process.join()
    found: dict[str, Any] | None = json.loads(answer)
    return found


def measure(work: Any, folder: str, size: int, pipe: Any) -> None:
    made = documents(size)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    begun = time.perf_counter()
    try:
        found = work(folder, made)
    except ImportError:
        pipe.send("null")
        return
    seconds = time.perf_counter() - begun
    memory = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    whole = [block for block in found if all(block)]
    f1 = 2 * len(set(whole) & set(made.gold)) / (len(whole) + len(made.gold))
    pipe.send(json.dumps({"time": seconds, "memory": memory, "f1": f1}))


if __name__ == "__main__":
    main()
