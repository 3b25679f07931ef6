"""Alignment the slow way: every block's cost from the text's own sum, and dynamic programming by plain loops."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from calque.alignment.band import Band, Step
from calque.alignment.costs import Weights
from calque.alignment.document import Document


def unit(vector: Any) -> Any:
    length = np.linalg.norm(vector)
    return vector / length if length else vector


def runs(document: Document, size: int) -> list[Any]:
    sums = document.sums.astype(np.float64)
    whole = min(size, len(document))
    return [unit(sums[begin : begin + whole].sum(axis=0)) for begin in range(len(document) - whole + 1)]


class SlowCosts:
    def __init__(self, source: Document, target: Document, weights: Weights) -> None:
        self.source, self.target, self.weights = source, target, weights

    def distance(self, shape: Step, row: int, column: int) -> float:
        """Of the block that ends at a node, over what its sides have on average from all runs of the other's size."""
        one = unit(self.source.sums[row - shape.source : row].astype(np.float64).sum(axis=0))
        two = unit(self.target.sums[column - shape.target : column].astype(np.float64).sum(axis=0))
        usual = [
            np.mean([1 - side @ run for run in runs(document, size)])
            for side, document, size in ((one, self.target, shape.target), (two, self.source, shape.source))
        ]
        return max(1 - one @ two, 0) / np.mean(usual)

    def cost(self, shape: Step, row: int, column: int) -> float:
        lengths = [
            document.lengths[end - size : end].sum()
            for document, size, end in ((self.source, shape.source, row), (self.target, shape.target, column))
        ]
        sentences = sum(shape)
        return (
            self.distance(shape, row, column) * sentences / 2
            + self.weights.block * (sentences - 2)
            + self.weights.length * np.sqrt(sentences / 2) * abs(np.log(lengths[1] / lengths[0]))
        )


def cheapest(costs: SlowCosts, shapes: Sequence[Step], band: Band) -> float:
    """The cost of the cheapest way through a band."""
    total = {(0, 0): 0.0}
    for row, (first, last) in enumerate(zip(band.first.tolist(), band.last.tolist(), strict=True)):
        for column in range(first, last + 1):
            ways = [
                total[row - one, column - two] + costs.cost(Step(one, two), row, column)
                for one, two in shapes
                if (row - one, column - two) in total
            ]
            skips = [
                total[node] + costs.weights.skip for node in ((row - 1, column), (row, column - 1)) if node in total
            ]
            if row or column:
                total[row, column] = min(ways + skips)
    return total[len(band.first) - 1, int(band.last[-1])]


def cost_of(costs: SlowCosts, steps: Sequence[Step]) -> float:
    row = column = 0
    total = 0.0
    for step in steps:
        row, column = row + step.source, column + step.target
        total += costs.cost(step, row, column) if all(step) else costs.weights.skip
    return total
