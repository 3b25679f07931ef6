"""Search: a million real sentences, exact, against numpy's bare product and FAISS's exact index in the same run."""

from __future__ import annotations

import argparse
import os
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from itertools import chain, islice
from pathlib import Path

THREADS = 2
os.environ.setdefault("OMP_NUM_THREADS", str(THREADS))
os.environ.setdefault("OPENBLAS_NUM_THREADS", str(THREADS))

import numpy as np
from common import best_of, bitext_path, machine, print_table

import calque
from calque.corpus import find_bitexts
from calque.index.snapshot import Snapshot
from calque.neighbours import Neighbours, search_exactly

BITEXTS = ("europarl.en-es", "europarl.en-de", "europarl.en-fr")
K = 10
TURNS = 3
HELD_OUT = 4096  # sentences kept out of the index to ask for


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sentences", type=int, default=1_000_000)
    parser.add_argument("--queries", type=int, default=2048, help="in a batch")
    parser.add_argument("--single", type=int, default=200, help="queries asked one by one")
    parser.add_argument("--model", help="a model folder; an untrained one of 300 dimensions if not given")
    parser.add_argument("--approximate", action="store_true", help="also build and time approximate search")
    arguments = parser.parse_args()
    texts = list(islice(sentences(), arguments.sentences + HELD_OUT))
    asked, texts = texts[:HELD_OUT], texts[HELD_OUT:]
    if len(texts) < arguments.sentences:
        sys.exit(f"skipped: there are only {len(texts):,} sentences")
    with tempfile.TemporaryDirectory() as folder:
        model = calque.load(arguments.model) if arguments.model else untrained(Path(folder) / "model")
        print(machine())
        index = built(texts, Path(folder) / "index", model)
        del texts
        rows = Snapshot.open(index.path).segments[0]
        queries = np.array(model.encode(asked[: arguments.queries], normalize=True))
        one_by_one(index, rows, asked[: arguments.single], queries)
        in_batches(rows, queries)
        if arguments.approximate:
            approximate(index, queries)


def sentences() -> Iterator[str]:
    """Distinct ones of all sides, in the order of the files; the other languages first, since English comes thrice."""
    pairs = (pair for name in BITEXTS for bitext in find_bitexts([str(bitext_path(name))]) for pair in bitext.pairs())
    return iter(dict.fromkeys(chain.from_iterable((pair.target, pair.source) for pair in pairs)))


def untrained(folder: Path) -> calque.Model:
    return calque.train([bitext_path(name) for name in BITEXTS], folder, epochs=0, dimension=300)


def built(texts: list[str], folder: Path, model: calque.Model) -> calque.Index:
    model.encode(texts[:100_000])
    begun, before = time.perf_counter(), peak()
    index = calque.Index.build(texts, folder, model, threads=THREADS)
    seconds = time.perf_counter() - begun
    print(
        f"\nBuilding: {len(index):,} sentences in {seconds:.1f} s, {len(index) / seconds:,.0f} a second; peak memory "
        f"grew by {peak() - before:,.0f} MB, and the index takes {index.describe()['megabytes']:,.0f} MB on disk."
    )
    return index


def peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def one_by_one(index: calque.Index, rows: object, texts: list[str], queries: np.ndarray) -> None:
    vectors, asked = rows.vectors, queries[: len(texts)]
    scores = np.empty(len(vectors), np.float32)

    def numpy_scan(query: np.ndarray) -> None:
        np.matmul(vectors, query, out=scores)
        np.argpartition(scores, -K)

    ours = each(lambda at: index.search([texts[at]], K, threads=THREADS), len(texts))
    scan = each(lambda at: search_exactly(asked[at : at + 1], vectors, rows.codes, K, threads=THREADS), len(asked))
    few = range(min(40, len(asked)))
    bare = each(lambda at: np.matmul(vectors, asked[at], out=scores), len(few))
    whole = each(lambda at: numpy_scan(asked[at]), len(few))
    flat = faiss_flat(vectors)
    theirs = each(lambda at: flat.search(asked[at : at + 1], K), len(few))
    table = [
        ["Calque, from a string to texts", ours],
        ["Calque, from a vector to neighbours", scan],
        ["numpy, the bare product of float32", bare],
        ["numpy, product and argpartition", whole],
        ["faiss IndexFlatIP", theirs],
    ]
    middle = float(np.median(scan))
    print_table(
        f"One query at a time among {len(vectors):,} sentences, {vectors.shape[1]} dimensions, exact top {K}",
        ["", "median ms", "p95 ms", "Calque's scan is faster"],
        [
            [name, f"{np.median(times):.1f}", f"{np.percentile(times, 95):.1f}", f"{np.median(times) / middle:.1f}×"]
            for name, times in table
        ],
    )


def each(work: Callable[[int], object], count: int) -> np.ndarray:
    """Milliseconds of each call, after one to warm up."""
    work(0)
    times = []
    for at in range(count):
        begun = time.perf_counter()
        work(at)
        times.append(1000 * (time.perf_counter() - begun))
    return np.array(times)


def in_batches(rows: object, queries: np.ndarray) -> None:
    vectors = rows.vectors
    flat = faiss_flat(vectors)
    cosines = np.empty((len(queries), 4096), np.float32)

    def bare() -> None:
        for begin in range(0, len(vectors), 4096):
            block = vectors[begin : begin + 4096]
            np.matmul(queries, block.T, out=cosines[:, : len(block)])

    found: list[Neighbours] = []
    # Turn by turn, so that whatever else the machine does hits all alike.
    turns = [
        (
            best_of(1, lambda: found.append(search_exactly(queries, vectors, rows.codes, K, threads=THREADS))),
            best_of(1, bare),
            best_of(1, lambda: same(found[-1], flat.search(queries, K)[1])),
        )
        for _ in range(TURNS)
    ]
    ours, product, theirs = map(min, zip(*turns, strict=True))
    work = 2 * len(queries) * vectors.size / 1e9
    print_table(
        f"{len(queries):,} queries at once, exact top {K}",
        ["", "queries/s", "GFLOP/s", "of the bare product"],
        [
            [name, f"{len(queries) / seconds:,.0f}", f"{work / seconds:,.0f}", f"{product / seconds:.2f}×"]
            for name, seconds in [
                ("Calque", ours),
                ("numpy, the bare product in blocks", product),
                ("faiss IndexFlatIP", theirs),
            ]
        ],
    )
    fewer = [[f"{count}", *_batch(rows, queries[:count])] for count in (1, 4, 16, 64, 65, 256)]
    print_table("Smaller batches", ["queries", "ms a query", "queries/s"], fewer)


def _batch(rows: object, queries: np.ndarray) -> list[str]:
    seconds = best_of(4, lambda: search_exactly(queries, rows.vectors, rows.codes, K, threads=THREADS))
    return [f"{1000 * seconds / len(queries):.1f}", f"{len(queries) / seconds:,.0f}"]


def same(found: Neighbours, theirs: np.ndarray) -> None:
    """A comparison of speeds means nothing if the answers differ; equals and nearly equals may change places."""
    share = np.mean([len(set(one) & set(two)) / K for one, two in zip(found.index, theirs, strict=True)])
    if share < 0.999:
        sys.exit(f"the peer finds other neighbours: {share:.4f} in common")


def faiss_flat(vectors: np.ndarray) -> object:
    import faiss

    faiss.omp_set_num_threads(THREADS)
    flat = faiss.IndexFlatIP(vectors.shape[1])
    for begin in range(0, len(vectors), 1 << 16):
        flat.add(np.ascontiguousarray(vectors[begin : begin + (1 << 16)]))
    return flat


def approximate(index: calque.Index, queries: np.ndarray) -> None:
    from calque.neighbours import Approximate

    rows = Snapshot.open(index.path).segments[0]
    begun = time.perf_counter()
    fitted = Approximate.fit(rows.vectors, threads=THREADS)
    seconds = time.perf_counter() - begun
    single = each(lambda at: fitted.search(queries[at : at + 1], K, threads=THREADS), min(100, len(queries)))
    batch = best_of(1, lambda: fitted.search(queries, K, threads=THREADS))
    exact = search_exactly(queries, rows.vectors, rows.codes, K, threads=THREADS)
    found = fitted.search(queries, K, threads=THREADS)
    share = np.mean([len(set(one) & set(two)) / K for one, two in zip(found.index, exact.index, strict=True)])
    print(
        f"\nApproximate: fitted in {seconds:.0f} s; {fitted.recall}; median {np.median(single):.1f} ms a query, "
        f"{len(queries) / batch:,.0f} queries/s in a batch; recall on sentences that are not in the index {share:.3f}."
    )


if __name__ == "__main__":
    main()
