"""A verdict on every pair, kept on disk: a corpus is read more than once, and judged only once."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterable, Iterator
from typing import IO

import numpy as np
import numpy.typing as npt

from ..atomic import cannot_write_temporary
from ..corpus.cleaning.clean import NO_OBJECTION
from .scores import Scores

_VERDICT = np.dtype([("objection", np.int16), ("score", np.float32)])
_BLOCK = 1 << 16
_SAMPLED = 1 << 20  # scores that a curve is drawn from

Objections = npt.NDArray[np.int16]
Verdicts = npt.NDArray[np.void]


class Spool:
    """Six bytes a pair: which rule dropped it, or how it scores."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self.pairs = 0
        self.scored = 0

    def add(self, objections: Objections, scores: Scores) -> None:
        """`scores` are those of the pairs to which no rule objects."""
        verdicts = np.zeros(len(objections), _VERDICT)
        verdicts["objection"] = objections
        verdicts["score"][objections == NO_OBJECTION] = scores
        self._write(memoryview(verdicts.tobytes()))
        self.pairs += len(objections)
        self.scored += len(scores)

    def _write(self, data: memoryview) -> None:
        try:
            while data:
                data = data[self._file.write(data) :]
        except OSError as problem:
            raise cannot_write_temporary(problem) from problem

    def rewind(self) -> None:
        self._file.seek(0)

    def take(self, count: int) -> Verdicts:
        """The next verdicts, in the order they were added in; fewer at the end."""
        wanted, data = count * _VERDICT.itemsize, b""
        while len(data) < wanted and (read := self._file.read(wanted - len(data))):  # a single read may end anywhere
            data += read
        return np.frombuffer(data, _VERDICT)

    def scores(self) -> Iterator[Scores]:
        """All scores from the start, some at a time."""
        self.rewind()
        while len(verdicts := self.take(_BLOCK)):
            yield np.ascontiguousarray(verdicts["score"][verdicts["objection"] == NO_OBJECTION])


def sampled(blocks: Iterable[Scores], scored: int) -> Scores:
    """The scores, so many in all, or every so manieth of very many."""
    step, begin, taken = max(1, -(-scored // _SAMPLED)), 0, []
    for scores in blocks:
        taken.append(scores[begin::step])
        begin = (begin - len(scores)) % step
    return np.concatenate(taken) if taken else np.zeros(0, np.float32)


@contextlib.contextmanager
def spooling() -> Iterator[Spool]:
    """Gone with the block.

    Raises:
        CalqueError: the folder for temporary files is full.
    """
    # Without a buffer of its own: nothing is left to be written when a full disk ends the work.
    try:
        file = tempfile.TemporaryFile(prefix="calque-", buffering=0)  # noqa: SIM115 (closed below)
    except OSError as problem:
        raise cannot_write_temporary(problem) from problem
    with file:
        yield Spool(file)
