"""The neighbours of two large piles, most of them: FAISS's clusters in place of the whole product."""

from __future__ import annotations

import shutil
import time
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ..neighbours.approximate import Approximate
from ..neighbours.nearest import BothWays, Neighbours, Vectors
from ..neighbours.recall import Recall
from .pile import Pile
from .search import SAVE_SECONDS, Conditions, Progress
from .state import STATE, how_far, read_state, save_state

LARGE = 4 * 10**12  # cosines: hours of exact search on two cores
_QUERIES = 1 << 13


class Found(NamedTuple):
    neighbours: BothWays
    forward: Recall
    backward: Recall


def is_worth_it(source: Pile, target: Pile) -> bool:
    """Whether exact search would take many hours, and FAISS is there."""
    return len(source) * len(target) > LARGE and find_spec("faiss") is not None


def find_most_neighbours(source: Pile, target: Pile, k: int, recall: float, work: Conditions) -> Found | None:
    """About a share `recall` of the k nearest of both sides, with that share as measured; None if it was stopped.

    Raises:
        UsageError: faiss is not installed.
    """
    work.folder.mkdir(exist_ok=True)
    found, about = read_state(work.folder / STATE, len(source), len(target), k)
    total = len(source) + len(target)
    ways = (("forward", source, target, found.forward, 0), ("backward", target, source, found.backward, len(source)))
    recalls = []
    for name, asking, asked, place, before in ways:
        clusters = _clusters(work.folder / f"{name}.clusters", asking, asked, k, recall, work)
        recalls.append(clusters.recall)
        saved = time.monotonic()
        for begin in range(how_far(work.folder / STATE, about, name, len(asking)), len(asking), _QUERIES):
            _fill(place, clusters, asking, begin, work.threads)
            about = about | {name: min(begin + _QUERIES, len(asking))}
            work.watch(Progress(before + about[name], total, before))
            stopped = work.stop_asked()
            if stopped or time.monotonic() - saved > SAVE_SECONDS:
                save_state(work.folder / STATE, found, about)
                saved = time.monotonic()
            if stopped:
                return None
        save_state(work.folder / STATE, found, about)
    return Found(found, *recalls)


def _clusters(folder: Path, asking: Pile, asked: Pile, k: int, recall: float, work: Conditions) -> Approximate:
    vectors = _mapped(asked)
    if (folder / "about.json").exists():
        return Approximate.read(folder, vectors)
    shutil.rmtree(folder, ignore_errors=True)
    made = Approximate.fit(
        vectors, k=k, target=recall, queries=_mapped(asking), memory=work.memory // 2, threads=work.threads
    )
    made.write(folder)
    return made


def _fill(place: Neighbours, clusters: Approximate, asking: Pile, begin: int, threads: int) -> None:
    part = clusters.search(asking.vectors[begin : begin + _QUERIES], place.index.shape[1], threads=threads)
    place.index[begin : begin + _QUERIES] = part.index
    place.cosine[begin : begin + _QUERIES] = part.cosine


def _mapped(pile: Pile) -> Vectors:
    """Clusters are filled from vectors all over the file; what is mapped can be given back by the system."""
    return np.memmap(pile.vectors.path, np.float32, "r", shape=(len(pile), pile.summary.dimension))
