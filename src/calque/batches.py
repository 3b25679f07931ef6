"""Going through something endless a bounded number at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import TypeVar

Item = TypeVar("Item")

_LINES, _CHARACTERS = 1 << 15, 1 << 24


def batches(items: Iterable[Item], size: int) -> Iterator[list[Item]]:
    """Lists of `size` items, the last one shorter.

    >>> list(batches("abcde", 2))
    [['a', 'b'], ['c', 'd'], ['e']]
    """
    rest = iter(items)
    while batch := list(islice(rest, size)):
        yield batch


def weighed(items: Iterable[Item], size: int, weight: Callable[[Item], int], most: int) -> Iterator[list[Item]]:
    """Lists of `size` items, or fewer if these come to more than `most` together.

    >>> list(weighed(["a", "bcd", "e", "f"], 3, len, 3))
    [['a', 'bcd'], ['e', 'f']]
    """
    batch: list[Item] = []
    total = 0
    for item in items:
        batch.append(item)
        total += weight(item)
        if len(batch) == size or total > most:
            yield batch
            batch, total = [], 0
    if batch:
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


def text_batches(lines: Iterable[str]) -> Iterator[list[str]]:
    """Some ten thousand lines, or fewer where lines are so long that they would fill the memory."""
    return weighed(lines, _LINES, len, _CHARACTERS)
