"""The best of all segments, as hits."""

from __future__ import annotations

from bisect import bisect_right
from typing import NamedTuple

import numpy as np

from ..encoder import Vectors
from .manifest import Source
from .snapshot import Snapshot


class Hit(NamedTuple):
    """An entry that was found, and its cosine with the query; `file` and `line` are None if it came from no file."""

    score: float
    id: int
    text: str
    file: str | None = None
    line: int | None = None


def search(snapshot: Snapshot, queries: Vectors, k: int, threads: int) -> list[list[Hit]]:
    """The k nearest entries to each unit vector; of equals, the smaller id first. A zero vector is near to nothing."""
    hits: list[list[Hit]] = [[] for _ in queries]
    asked = np.flatnonzero(queries.any(axis=1))
    if not snapshot.segments or not len(asked):
        return hits
    found = [
        segment.search(queries[asked], min(k, len(segment)), deleted, threads)
        for segment, deleted in zip(snapshot.segments, snapshot.deleted, strict=True)
    ]
    scores = np.concatenate([each.cosine for each in found], axis=1)
    rows = np.concatenate([each.index for each in found], axis=1)
    places = np.repeat(np.arange(len(found)), [each.index.shape[1] for each in found])
    # Segments follow one another in the order of their ids, so the earlier of equals has the smaller one.
    order = np.argsort(-scores, axis=1, kind="stable")[:, :k]
    firsts = [source.first for source in snapshot.manifest.sources]
    for row, query in enumerate(asked.tolist()):
        found_here = order[row][rows[row, order[row]] >= 0]
        hits[query] = [
            _hit(snapshot, firsts, float(scores[row, column]), int(places[column]), int(rows[row, column]))
            for column in found_here.tolist()
        ]
    return hits


def _hit(snapshot: Snapshot, firsts: list[int], score: float, place: int, row: int) -> Hit:
    segment = snapshot.segments[place]
    id = int(segment.ids[row])
    source = _source_of(id, snapshot.manifest.sources, firsts)
    where = (source.name, id - source.first + 1) if source else (None, None)
    return Hit(score, id, segment.text_of(row), *where)


def _source_of(id: int, sources: tuple[Source, ...], firsts: list[int]) -> Source | None:
    at = bisect_right(firsts, id) - 1
    return sources[at] if at >= 0 and id < sources[at].first + sources[at].lines else None
