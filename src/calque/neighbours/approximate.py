"""Approximate search in millions of vectors: FAISS looks into the nearest clusters only; what it misses is measured.

Vectors are kept in clusters as product codes of 4 bits for two numbers, which FAISS reads off tables in registers. Some
times as many as asked for are scored again with the vectors themselves, so that cosines are exact and only the choice
is approximate.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np

from ..at_exit import native_call
from ..atomic import cannot_write, write_text
from ..checksums import file_checksum
from ..errors import ModelError, UsageError
from ..extras import require
from ..regular import read_text
from ..saved import count, get
from ..threads import require_room, resolve_threads
from .nearest import Neighbours, Vectors, no_neighbours
from .product import Marks, best_exactly
from .recall import Recall, Trial, spread
from .unit_length import first_of_other_length

_FORMAT = 1
_FILE, _ABOUT = "clusters.faiss", "about.json"
_CHUNK = 1 << 16  # vectors added at once
_SAMPLE_A_CLUSTER, _LARGEST_SAMPLE = 64, 1 << 18
_MOST_CLUSTERS = 1 << 13
_FEWEST, _MOST = 4, 256  # candidates fetched for each one asked for, since codes put near ones in the wrong order
_SPARE = 60  # and so many more
_ID_BYTES = 8  # that FAISS keeps of each vector beside its code
_LIBRARY = 256 << 20  # bytes of addresses that FAISS takes to be opened, and to work: without them it ends the process
_NOISE = 64  # vectors: more than there are codewords of 4 bits


class Approximate:
    """
    >>> fitted = Approximate.fit(vectors, target=0.95)
    >>> fitted.search(queries, k=10).index.shape
    (3, 10)
    >>> fitted.recall.share
    0.957
    """

    def __init__(self, clusters: Any, vectors: Vectors, recall: Recall) -> None:
        self._clusters = clusters  # a faiss.IndexIVF
        self._vectors = vectors
        self.recall = recall

    @classmethod
    def fit(
        cls,
        vectors: Vectors,
        *,
        k: int = 10,
        target: float = 0.95,
        queries: Vectors | None = None,
        memory: int | None = None,
        threads: int | None = None,
        report: Callable[[int], None] = lambda done: None,
    ) -> Approximate:
        """Over unit vectors, an array or a mapped file, read in pieces. `report` is told how many are in.

        As many clusters are looked into as `target` of the exact k nearest need: those of `queries`, vectors like the
        ones that will be asked for, or else of some of the vectors themselves (among the others).

        Raises:
            UsageError: faiss is not installed, or the codes take more than `memory` bytes.
        """
        if not len(vectors) or not 0 < target <= 1 or k < 1:
            raise UsageError(f"expected vectors, k ≥ 1 and 0 < target ≤ 1, got {len(vectors)}, {k} and {target}")
        _require_room(len(vectors), vectors.shape[1], memory)
        count = resolve_threads(threads)
        _faiss()
        require_room(count, _LIBRARY)
        made = cls(_trained(vectors), vectors, Recall(0, k, 0, 0, 0, 0))
        _faiss().omp_set_num_threads(count)
        for begin in range(0, len(vectors), _CHUNK):
            made._clusters.add(_even(vectors[begin : begin + _CHUNK]))
            report(min(begin + _CHUNK, len(vectors)))
        made._tune(Trial.draw(vectors, queries, k, count), target, count)
        return made

    def search(
        self, queries: Vectors, k: int, *, deleted: Marks | None = None, threads: int | None = None
    ) -> Neighbours:
        """Most of the k nearest by cosine; of equals, the earlier."""
        count = resolve_threads(threads)
        return self._search(np.ascontiguousarray(queries, np.float32), k, self.recall, deleted, count)

    def _search(self, queries: Vectors, k: int, how: Recall, deleted: Marks | None, threads: int) -> Neighbours:
        faiss = _faiss()
        faiss.omp_set_num_threads(threads)
        options: dict[str, Any] = {"nprobe": how.probes}
        if deleted is not None and deleted.any():
            options["sel"] = faiss.IDSelectorBitmap(np.packbits(deleted == 0, bitorder="little"))
        wanted = min(how.fetched * k + _SPARE, len(self._vectors))
        try:
            with native_call():
                _, index = self._clusters.search(_even(queries), wanted, params=faiss.SearchParametersIVF(**options))
        except RuntimeError as problem:  # of clusters that were forged: FAISS looks at most of a file when it searches
            raise _forged(str(problem).splitlines()[0]) from problem
        if index.min(initial=-1) < -1 or index.max(initial=-1) >= len(self._vectors):
            raise _forged("they hold vectors that do not exist")
        # Among exact cosines, one that is no number would only make its entry impossible to find.
        if first_of_other_length(self._vectors, np.unique(index[index >= 0])) is not None:
            raise _forged("a vector that they hold has not the length 1")
        fetched = no_neighbours(len(queries), max(wanted, k))
        fetched.index[:, :wanted] = index
        found = best_exactly(queries, self._vectors, fetched, k, threads)
        if ((found.index[:, 1:] == found.index[:, :-1]) & (found.index[:, 1:] >= 0)).any():  # equals are side by side
            raise _forged("they hold a vector twice")
        return found

    def _tune(self, trial: Trial, target: float, threads: int) -> None:
        """Candidates first, with all clusters, until half of what may be missed is; then the fewest clusters."""
        most: int = self._clusters.nlist

        def measured(probes: int, fetched: int) -> Recall:
            how = Recall(0, trial.k, len(trial.queries), most, probes, fetched)
            share = trial.share(self._search(trial.queries, trial.depth, how, None, threads))
            return replace(how, share=share)

        fetched = _FEWEST
        while measured(most, fetched).share < (1 + target) / 2 and fetched < _MOST:
            fetched *= 2
        self.recall = _fewest(lambda probes: measured(probes, fetched), most, target)

    def write(self, folder: Path) -> None:
        """Into a folder of its own, the description last.

        Raises:
            CalqueError: the disk is full.
        """
        file = folder / _FILE
        try:
            folder.mkdir(parents=True, exist_ok=True)
            _faiss().write_index(self._clusters, str(file))
            about = {"format": _FORMAT, **asdict(self.recall), "checksum": file_checksum(file)}
        except (OSError, RuntimeError) as problem:  # faiss's own way to say it
            reason = problem if isinstance(problem, OSError) else OSError(str(problem).splitlines()[0])
            raise cannot_write(file, reason) from problem
        write_text(folder / _ABOUT, json.dumps(about, indent=2) + "\n")

    @classmethod
    def read(cls, folder: Path, vectors: Vectors) -> Approximate:
        """What was written, over the same vectors.

        Raises:
            ModelError: damaged, or not for these vectors.
        """
        faiss = _faiss()
        try:
            about = json.loads(read_text(folder / _ABOUT))
            if get(about, "format", int) != _FORMAT or get(about, "checksum", str) != file_checksum(folder / _FILE):
                raise ValueError("it is of another version, or has changed since it was written")
            clusters = faiss.read_index(str(folder / _FILE))
            if (clusters.ntotal, clusters.d) != (len(vectors), _even_width(vectors.shape[1])):
                raise ValueError(f"made for {clusters.ntotal} × {clusters.d} vectors, not {vectors.shape}")
            return cls(clusters, vectors, _recall(about, clusters.nlist))
        except (OSError, ValueError, TypeError, AttributeError, RuntimeError, MemoryError) as problem:
            raise ModelError(f"{folder} is damaged: {problem}", hint="copy or make it again") from problem


def _forged(what: str) -> ModelError:
    return ModelError(f"FAISS cannot search these clusters: {what}", hint="copy or make them again")


def _recall(saved: Any, clusters: int) -> Recall:
    """
    Raises:
        ValueError: it is not what was written, or asks for more than there is.
    """
    return Recall(
        share=get(saved, "share", float),
        k=count(saved, "k", 1),
        queries=count(saved, "queries"),
        clusters=count(saved, "clusters", clusters, clusters),
        probes=count(saved, "probes", 1, clusters),
        fetched=count(saved, "fetched", 1, _MOST),
    )


def _require_room(count: int, dimension: int, memory: int | None) -> None:
    needed = count * (_even_width(dimension) // 4 + _ID_BYTES)
    if memory is not None and needed > memory:
        takes, allowed = f"{needed / 1e6:,.1f} MB", f"{memory / 1e6:,.1f} MB"
        raise UsageError(
            f"approximate search in {count:,} vectors takes {takes}, and {allowed} are allowed",
            hint="allow more with --memory; on a cluster, a smaller --block takes less",
        )


def _fewest(measured: Callable[[int], Recall], most: int, target: float) -> Recall:
    """The fewest clusters that reach the target, by doubling and then halving the gap."""
    too_few, best = 0, measured(1)
    while best.share < target and best.probes < most:
        too_few, best = best.probes, measured(min(2 * best.probes, most))
    while best.probes - too_few > 1:
        middle = measured((too_few + best.probes) // 2)
        too_few, best = (too_few, middle) if middle.share >= target else (middle.probes, best)
    return best


def _trained(vectors: Vectors) -> Any:
    """Twice as many clusters as the root of the number of vectors, learnt from a sample of them.

    On one thread: with another number FAISS's matrix products round otherwise, and other clusters come of it. Most of
    the time goes into adding the vectors, which any number of threads may do.
    """
    faiss = _faiss()
    faiss.omp_set_num_threads(1)
    count, dimension = vectors.shape
    clusters = max(1, min(int(2 * count**0.5), _MOST_CLUSTERS, count))
    width = _even_width(dimension)
    made = faiss.IndexIVFPQFastScan(
        faiss.IndexFlatIP(width), width, clusters, width // 2, 4, faiss.METRIC_INNER_PRODUCT
    )
    made.by_residual = False
    made.cp.spherical, made.cp.min_points_per_centroid, made.pq.cp.min_points_per_centroid = True, 1, 1
    sample = vectors[spread(count, min(_SAMPLE_A_CLUSTER * clusters, _LARGEST_SAMPLE))]
    made.train(_even(np.concatenate([sample, _noise(dimension)])))
    return made


def _noise(dimension: int) -> Vectors:
    """A few vectors of no text: codewords of equal vectors would all be equal, and tables of them not a number."""
    drawn = np.random.default_rng(1).standard_normal((_NOISE, dimension)).astype(np.float32)
    vectors: Vectors = drawn / np.linalg.norm(drawn, axis=1, keepdims=True)
    return vectors


def _even_width(dimension: int) -> int:
    """Numbers are coded by twos."""
    return dimension + dimension % 2


def _even(vectors: Vectors) -> Vectors:
    padded = np.pad(vectors, ((0, 0), (0, 1))) if vectors.shape[1] % 2 else vectors
    return np.ascontiguousarray(padded, np.float32)


def _faiss() -> Any:
    if "faiss" not in sys.modules:
        require_room(resolve_threads(None), _LIBRARY)
    return require("faiss", "ann", "approximate search")
