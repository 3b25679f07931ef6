"""PyTorch, which nothing but a BLSTM needs, and how its work is shared out."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from ..extras import require

Crew = Callable[[Callable[[Any], Any], Iterable[Any]], list[Any]]  # a function of each item, results in order


def torch_module() -> Any:
    """PyTorch itself.

    Raises:
        UsageError: it is not installed.
    """
    return require("torch", "lstm", "a BLSTM")


@contextlib.contextmanager
def torch_crew(threads: int) -> Iterator[Crew]:
    """Threads that each do a part, with PyTorch on one thread in each of them.

    PyTorch's own threads meet after every operation of some microseconds, and wait by spinning: on a machine that has
    other work to do, they took twenty times as long. Parts also make the result independent of how many threads
    there are.
    """
    torch = torch_module()
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        if threads == 1:
            yield lambda function, items: list(map(function, items))
            return
        from concurrent.futures import ThreadPoolExecutor  # a model that needs no threads should not wait for it

        with ThreadPoolExecutor(threads, initializer=torch.set_num_threads, initargs=(1,)) as pool:
            yield lambda function, items: list(pool.map(function, items))
    finally:
        torch.set_num_threads(before)
