"""What it costs to take some sentences of one document for the translation of some of the other.

After Thompson and Koehn (Vecalign, EMNLP 2019): a block's distance is divided by the distance that its sides have on
average from runs of as many sentences in the other document, so that a block of unrelated text costs about 1.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..encoder.average import unit
from .band import Band, Step
from .document import Document, Vectors

_ROWS, _CELLS = 64, 1 << 20  # of the product that is made at once

Places = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Weights:
    """Chosen on Bleualign's development document, German and French."""

    skip: float = 0.8  # what it costs to leave a sentence out
    block: float = 0.25  # for each sentence of a block beyond the first of a side
    length: float = 0.5  # for a side e times as long as the other


class _Runs(NamedTuple):
    """Of the runs of one size, by the node that they end at, (n + 1,): run i ends with sentence i − 1."""

    inverse_norm: Vectors
    distance: list[Vectors]  # the mean distance from the other document's runs, by their size
    log_length: Vectors


class CostRows(NamedTuple):
    """The nodes of some rows of a band, and what the block of each shape costs that ends there, (shapes, nodes)."""

    begin: int
    end: int
    costs: Vectors


class BlockCosts:
    """Dot products of runs are sums of dot products of sentences: one product serves blocks of all shapes."""

    def __init__(self, source: Document, target: Document, shapes: Sequence[Step], weights: Weights) -> None:
        self.shapes, self.weights = sorted(shapes), weights
        self._most = Step(max(shape.source for shape in shapes), max(shape.target for shape in shapes))
        self._documents = source, target
        means = _mean_runs(source, self._most.source), _mean_runs(target, self._most.target)
        self._source = [_runs(source, size, means[1]) for size in range(1, self._most.source + 1)]
        self._target = [_runs(target, size, means[0]) for size in range(1, self._most.target + 1)]
        # Zeros in front, so that every node has as many sentences before it as the largest run.
        self._source_sums = np.pad(source.sums, ((self._most.source, 0), (0, 0)))
        self._target_sums = np.pad(target.sums, ((self._most.target, 0), (0, 0)))

    def over(self, band: Band) -> Iterator[CostRows]:
        """Some rows at a time, so that costs need little memory however long the documents are."""
        for begin, end in band.chunks(_ROWS, _CELLS):
            rows, columns = np.arange(begin, end), np.arange(band.first[begin], band.last[end - 1] + 1)
            inside = (columns >= band.first[begin:end, None]) & (columns <= band.last[begin:end, None])
            costs = np.empty((len(self.shapes), int(inside.sum())), np.float32)
            for at, (shape, products) in enumerate(self._products(begin, end, int(columns[0]), int(columns[-1]) + 1)):
                costs[at] = self._cost(shape, products, rows[:, None], columns[None, :])[inside]
            yield CostRows(begin, end, costs)

    def distances(self, shape: Step, rows: Places, columns: Places) -> Vectors:
        """Of the blocks of one shape that end at these nodes: 0 for the same direction, about 1 for unrelated text."""
        source, target = self._documents
        one, two = source.runs_ending(rows - 1, shape.source), target.runs_ending(columns - 1, shape.target)
        return self._distance(shape, np.einsum("ij,ij->i", one, two), rows, columns)

    def _products(self, top: int, bottom: int, left: int, right: int) -> Iterator[tuple[Step, Vectors]]:
        """For each shape, the dot product of the two runs that end at each node of a rectangle."""
        sources = self._source_sums[top : bottom + self._most.source - 1]
        targets = self._target_sums[left : right + self._most.target - 1]
        single = sources @ targets.T
        starts = range(self._most.source - 1, -1, -1), range(self._most.target - 1, -1, -1)
        runs = accumulate(single[at : at + bottom - top] for at in starts[0])
        for source, products in enumerate(runs, start=1):
            blocks = accumulate(products[:, at : at + right - left] for at in starts[1])
            for target, block in enumerate(blocks, start=1):
                if (source, target) in self.shapes:
                    yield Step(source, target), block

    def _cost(self, shape: Step, products: Vectors, rows: Places, columns: Places) -> Vectors:
        sentences = sum(shape)
        cost = self._distance(shape, products, rows, columns) * np.float32(sentences / 2)
        cost += np.float32(self.weights.block * (sentences - 2))
        if self.weights.length:
            one, two = (
                self._source[shape.source - 1].log_length[rows],
                self._target[shape.target - 1].log_length[columns],
            )
            cost += np.float32(self.weights.length * np.sqrt(sentences / 2)) * np.abs(two - one)
        return np.where((rows >= shape.source) & (columns >= shape.target), cost, np.float32(np.inf))

    def _distance(self, shape: Step, products: Vectors, rows: Places, columns: Places) -> Vectors:
        one, two = self._source[shape.source - 1], self._target[shape.target - 1]
        cosines = products * one.inverse_norm[rows] * two.inverse_norm[columns]
        usual = one.distance[shape.target - 1][rows] + two.distance[shape.source - 1][columns]
        distance: Vectors = np.maximum(1 - cosines, 0) * 2 / usual
        return distance


def _mean_runs(document: Document, most: int) -> Vectors:
    """The mean direction of all whole runs of each size, (most, dimension); of a short document, of what there is."""
    sizes = range(1, most + 1)
    return np.stack([unit(document.run_sums(size)[min(size, len(document)) - 1 :]).mean(axis=0) for size in sizes])


def _runs(document: Document, size: int, others: Vectors) -> _Runs:
    sums = np.pad(document.run_sums(size), ((1, 0), (0, 0)))
    norms = np.linalg.norm(sums, axis=1)
    inverse = np.divide(1, norms, out=np.zeros_like(norms), where=norms > 0)
    # A mean of cosines is the cosine with a mean: nothing has to be sampled.
    distances = 1 - (sums @ others.T) * inverse[:, None]
    lengths = np.maximum(np.pad(document.run_lengths(size), (1, 0)), 1)
    return _Runs(inverse, list(np.maximum(distances.T, 1e-3)), np.log(lengths))
