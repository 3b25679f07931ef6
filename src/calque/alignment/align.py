"""Which sentences of two documents translate each other, coarse to fine.

Documents are halved until they are small, aligned as wholes, and refined around what was found: time and memory grow
with their length, not with its square.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from .band import Band, Step
from .costs import BlockCosts, Weights
from .document import Document
from .lengths import in_lengths_of
from .search import Way, cheapest_way

MAX_SIZE = 8  # sentences of a block, both sides together
SKIP = Weights().skip

_COARSE_SHAPES = [Step(1, 1), Step(1, 2), Step(2, 1)]
_SMALL = 1 << 18  # nodes that are searched without a band
_WIDTH = 10  # sentences to either side of the coarser way

Places = npt.NDArray[np.intp]


class Alignment(NamedTuple):
    """Sentences that translate each other, counted from 0; the other side of a sentence left out is empty.

    The cost is 0 for texts that mean the same and about 1 for unrelated ones, as far apart as the documents' sentences
    usually are: between documents of a few sentences, translations cost more. Where a side is empty, it is 0.
    """

    source: tuple[int, ...]
    target: tuple[int, ...]
    cost: float


def align_documents(
    source: Document, target: Document, max_size: int = MAX_SIZE, skip: float = SKIP
) -> list[Alignment]:
    """Every sentence once and in order.

    A sentence without a vector, such as a blank line, is left out, or part of the block around it.
    """
    sources, targets = np.flatnonzero(source.has_vector), np.flatnonzero(target.has_vector)
    found: list[Alignment] = []
    if len(sources) and len(targets):
        found = _align_whole(source.only(sources), target.only(targets), max_size, Weights(skip=skip))
    return list(_with_blank(found, sources, targets, len(source), len(target)))


def shapes_up_to(max_size: int) -> list[Step]:
    return [Step(one, two) for one in range(1, max_size) for two in range(1, max_size - one + 1)]


def find_way(source: Document, target: Document, costs: BlockCosts, *, small: int = _SMALL, width: int = _WIDTH) -> Way:
    """Documents of at most `small` nodes are searched whole, others `width` sentences around their halves' way."""
    sizes = len(source), len(target)
    if (sizes[0] + 1) * (sizes[1] + 1) <= small or max(sizes) <= 2:
        return cheapest_way(costs, Band.full(*sizes))
    halves = source.halved(), target.halved()
    coarse = find_way(*halves, BlockCosts(*halves, _COARSE_SHAPES, costs.weights), small=small, width=width)
    return cheapest_way(costs, Band.around(coarse.steps, *sizes, width))


def _align_whole(source: Document, target: Document, max_size: int, weights: Weights) -> list[Alignment]:
    target = in_lengths_of(source, target)
    costs = BlockCosts(source, target, shapes_up_to(max_size), weights)
    steps = np.array(find_way(source, target, costs).steps, np.int64)
    ends = np.cumsum(steps, axis=0)
    distances = np.zeros(len(steps))
    for shape in costs.shapes:
        which = np.flatnonzero((steps == shape).all(axis=1))
        distances[which] = costs.distances(shape, ends[which, 0], ends[which, 1])
    return [
        Alignment(tuple(range(row - one, row)), tuple(range(column - two, column)), cost)
        for (one, two), (row, column), cost in zip(steps.tolist(), ends.tolist(), distances.tolist(), strict=True)
    ]


def _with_blank(
    found: Sequence[Alignment], sources: Places, targets: Places, source_count: int, target_count: int
) -> Iterator[Alignment]:
    """The same with the documents' own numbers, and with what had been left out before they were aligned."""
    done = [0, 0]

    def left_out(source: int, target: int) -> Iterator[Alignment]:
        yield from (Alignment((each,), (), 0.0) for each in range(done[0], source))
        yield from (Alignment((), (each,), 0.0) for each in range(done[1], target))
        done[:] = max(done[0], source), max(done[1], target)

    for one, two, cost in found:
        source, target = _stretched(one, sources), _stretched(two, targets)
        yield from left_out(source.start, target.start)
        yield Alignment(tuple(source), tuple(target), cost)
        done = [max(done[0], source.stop), max(done[1], target.stop)]
    yield from left_out(source_count, target_count)


def _stretched(numbers: tuple[int, ...], places: Places) -> range:
    return range(int(places[numbers[0]]), int(places[numbers[-1]]) + 1) if numbers else range(0)
