"""Two parallel files, as Moses and its successors read them: line n of one translates line n of the other."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from typing import IO

from ...errors import CorpusError
from ..lines import line_batches
from ..pair import Pair

_BREAKS = str.maketrans("\n\r", "  ")


def read_parallel(one: io.BufferedReader, two: io.BufferedReader, names: tuple[str, ...]) -> Iterator[list[Pair]]:
    """Pairs the lines.

    Raises:
        CorpusError: one file has more lines than the other.
    """
    sources, targets = line_batches(one, names[0]), line_batches(two, names[1])
    left: list[str] = []
    right: list[str] = []
    number = 0
    while True:
        left = left or next(filter(None, sources), [])  # an empty batch is not yet the end
        right = right or next(filter(None, targets), [])
        count = min(len(left), len(right))
        if not count:
            break
        yield list(map(Pair, left[:count], right[:count]))
        left, right = left[count:], right[count:]
        number += count
    if left or right:
        short, long, rest = (names[0], names[1], targets) if right else (names[1], names[0], sources)
        more = number + len(left or right) + sum(map(len, rest))
        raise CorpusError(
            f"{short} has {number} lines, but {long} has {more}",
            hint="parallel files hold one sentence a line, and line n of one translates line n of the other",
        )


def write_parallel(one: IO[bytes], two: IO[bytes], batches: Iterable[list[Pair]]) -> None:
    """One sentence a line in each file; a line's end inside a text becomes a space."""
    for batch in filter(None, batches):
        for side, file in enumerate((one, two)):
            text = "\n".join([pair[side] for pair in batch])
            if text.count("\n") != len(batch) - 1 or "\r" in text:
                text = "\n".join(pair[side].translate(_BREAKS) for pair in batch)
            file.write(text.encode("utf-8", "replace") + b"\n")
