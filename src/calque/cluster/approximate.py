"""Most neighbours of very large piles: clusters over each run of shards, asked by every run of the other side.

Clusters are filled from, and what they find is scored again with, vectors all over a run, which is in memory for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..mining import MiningConfig
from ..neighbours.approximate import Approximate
from ..neighbours.nearest import no_neighbours
from .blocks import Way, numbered, write_neighbours
from .engine import Receipt, Task
from .job import Job
from .piles import PileShards
from .places import Place
from .shards import Run

_QUERIES = 1 << 13
_TRIED = 1 << 12  # vectors of the other side, from which the queries are drawn that measure what is found
_FILES = ("clusters.faiss", "about.json")


@dataclass(frozen=True)
class MakeClusters:
    """Clusters over a run of shards, tuned and measured with vectors of the other side."""

    asking: PileShards
    asked: PileShards
    folder: Place
    k: int
    recall: float
    memory: int
    threads: int

    def __call__(self, task: Task) -> Receipt:
        with self.asking.vectors(*task["asking"]) as others, self.asked.vectors(*task["chunk"]) as rows:
            step = max(len(others) // _TRIED, 1)
            queries = np.concatenate([others[at : at + 1] for at in range(0, len(others), step)][:_TRIED])
            made = Approximate.fit(
                rows[:], k=self.k, target=self.recall, queries=queries, memory=self.memory, threads=self.threads
            )
            place = self.folder / task["name"]
            place.make()
            with place.placing_in() as folder:
                made.write(folder)
        return {"recall": made.recall.share}


@dataclass(frozen=True)
class AskClusters:
    """What one run of shards finds in the clusters of another."""

    asking: PileShards
    asked: PileShards
    clusters: Place
    folder: Place
    way: Way
    k: int
    threads: int

    def __call__(self, task: Task) -> Receipt:
        with (
            self.asking.vectors(*task["asking"]) as queries,
            self.asked.vectors(*task["asked"]) as rows,
            (self.clusters / task["clusters"]).fetched_from(_FILES) as folder,
        ):
            clusters = Approximate.read(folder, rows[:])
            found = no_neighbours(len(queries), self.k)
            for begin in range(0, len(queries), _QUERIES):
                part = clusters.search(queries[begin : begin + _QUERIES], self.k, threads=self.threads)
                found.index[begin : begin + _QUERIES], found.cosine[begin : begin + _QUERIES] = part.index, part.cosine
        first = int(self.asked.begins[task["asked"][0]])
        write_neighbours(self.folder / f"{self.way}-{task['block']}", numbered(found, first))
        return {}


def search_by_clusters(
    job: Job,
    piles: tuple[PileShards, PileShards],
    chunks: tuple[Sequence[Run], Sequence[Run]],
    config: MiningConfig,
    blocks: Place,
    folder: Place,
    threads: int,
) -> float:
    """The neighbours of both ways into `blocks`; the lowest share that was found of those asked for, measured."""
    recalls: list[float] = []
    for way, at in (("forward", 0), ("backward", 1)):
        asking, asked = piles[at], piles[1 - at]
        queries, runs = chunks[at], chunks[1 - at]
        made = job.stage(
            f"{way}-clusters",
            MakeClusters(asking, asked, folder, config.neighbours, config.recall, config.memory // 2, threads),
            [
                {"name": f"{way}-{number:05d}", "chunk": run, "asking": queries[number % len(queries)]}
                for number, run in enumerate(runs)
            ],
        )
        recalls += [each["recall"] for each in made]
        tasks = [
            {
                "name": f"{one:05d}-{two:05d}",
                "block": f"{one:05d}-{two:05d}" if at == 0 else f"{two:05d}-{one:05d}",
                "asking": queries[one],
                "asked": runs[two],
                "clusters": f"{way}-{two:05d}",
            }
            for two in range(len(runs))
            for one in range(len(queries))
        ]
        work = AskClusters(asking, asked, folder, blocks, way, config.neighbours, threads)  # type: ignore[arg-type]
        job.stage(f"{way}-found", work, tasks)
    return min(recalls)
