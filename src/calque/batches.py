"""Going through something endless a bounded number at a time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TypeVar

Item = TypeVar("Item")


def batches(items: Iterable[Item], size: int) -> Iterator[list[Item]]:
    """Lists of `size` items, the last one shorter.

    >>> list(batches("abcde", 2))
    [['a', 'b'], ['c', 'd'], ['e']]
    """
    rest = iter(items)
    while batch := list(islice(rest, size)):
        yield batch


def regrouped(lists: Iterable[list[Item]], size: int) -> Iterator[list[Item]]:
    """Small lists joined until they hold `size` items or a little more.

    >>> list(regrouped([[1], [2, 3], [4]], 2))
    [[1, 2, 3], [4]]
    """
    waiting: list[Item] = []
    for items in lists:
        waiting += items
        if len(waiting) >= size:
            yield waiting
            waiting = []
    if waiting:
        yield waiting


def text_batches(lines: Iterable[str], size: int = 1 << 15, characters: int = 1 << 24) -> Iterator[list[str]]:
    """Lists of `size` lines, or fewer where lines are so long that they would fill the memory."""
    batch: list[str] = []
    held = 0
    for line in lines:
        batch.append(line)
        held += len(line)
        if len(batch) == size or held > characters:
            yield batch
            batch, held = [], 0
    if batch:
        yield batch
