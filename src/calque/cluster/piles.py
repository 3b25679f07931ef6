"""One side of mining in shards: each read and encoded once, its sentences numbered through all of them."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from ..batches import text_batches
from ..corpus.expectation import Expectation, LineSample
from ..corpus.identity import Identities, identities
from ..corpus.seen import NothingSeen, Seen
from ..corpus.texts import Column, read_texts
from ..mining.pile import Pile, PileSummary, VectorFile, make_pile, sentences_in
from ..model import Model
from ..neighbours.nearest import Vectors
from .engine import Receipt, Task
from .places import Place
from .repeats import Repeats
from .texts import column_in


@dataclass(frozen=True)
class KeyShard:
    """Hands out what tells the sentences of a shard from others."""

    repeats: Repeats
    column: Column | None
    threads: int

    def __call__(self, task: Task) -> Receipt:
        keys = [np.zeros(0, np.uint64)]
        with Place(task["shard"]).fetched() as path:
            for batch in text_batches(read_texts(path, column_in(path, self.column))):
                keys.append(identities([batch[at] for at in sentences_in(batch)], self.threads))
        joined = np.concatenate(keys)
        self.repeats.hand_out(int(task["name"]), joined)
        return {"sentences": len(joined)}


@dataclass(frozen=True)
class SampleShard:
    """Draws a sample of a shard's sentences, by which the language of all shards is told."""

    repeats: Repeats | None
    column: Column | None
    threads: int

    def __call__(self, task: Task) -> Receipt:
        seen: Seen = self.repeats.foretold(task, task["sentences"]) if self.repeats else NothingSeen()
        sample = LineSample()
        with Place(task["shard"]).fetched() as path:
            for batch in text_batches(read_texts(path, column_in(path, self.column))):
                filled = [batch[at] for at in sentences_in(batch)]
                known = identities(filled, self.threads)
                new = ~seen.add(known)
                sample.add([filled[at] for at in np.flatnonzero(new)], known[new])
        return {"sample": sample.as_dict()}


@dataclass(frozen=True)
class PileShard:
    """A shard's sentences with their vectors, by the function that makes a pile of one file."""

    model: Model
    folder: Place
    repeats: Repeats | None
    language: str | None
    column: Column | None
    threads: int
    expected: Expectation | None

    def __call__(self, task: Task) -> Receipt:
        seen: Seen = self.repeats.foretold(task, task["sentences"]) if self.repeats else NothingSeen()
        with Place(task["shard"]).fetched() as path, self.folder.placing_in() as folder:
            lines = read_texts(path, column_in(path, self.column))
            made = make_pile(
                folder,
                task["name"],
                lines,
                self.model,
                language=self.language,
                seen=seen,
                threads=self.threads,
                expected=self.expected,
            )
        return asdict(made.summary)


@dataclass(frozen=True)
class PileShards:
    """The shards of a pile; sentence 0 is the first one of the first shard."""

    folder: Place
    summaries: tuple[PileSummary, ...]

    @cached_property
    def begins(self) -> npt.NDArray[np.int64]:
        """The number of each shard's first sentence, and of one after the last."""
        return np.cumsum([0, *(each.sentences for each in self.summaries)])

    @cached_property
    def lines(self) -> npt.NDArray[np.int64]:
        """How many lines stand before each shard."""
        return np.cumsum([0, *(each.lines for each in self.summaries)])

    def __len__(self) -> int:
        return int(self.begins[-1])

    @property
    def summary(self) -> PileSummary:
        first = self.summaries[0]
        lines, blank, repeated, sentences = (
            sum(getattr(each, name) for each in self.summaries) for name in ("lines", "blank", "repeated", "sentences")
        )
        others = sum((Counter(each.others) for each in self.summaries), Counter[str]())
        told = first.expected, dict(others.most_common()), first.mixed
        return PileSummary(lines, blank, repeated, sentences, first.dimension, "", *told)

    @contextlib.contextmanager
    def pile(self, shard: int) -> Iterator[Pile]:
        """The sentences of one shard, at hand; not their vectors."""
        name = f"{shard:05d}"
        with self.folder.fetched_from([f"{name}.sentences", f"{name}.text"]) as folder:
            yield Pile(folder, name, self.summaries[shard])

    @contextlib.contextmanager
    def vectors(self, begin: int = 0, end: int | None = None) -> Iterator[VectorRows]:
        """Of a run of shards, at hand."""
        shards = range(begin, len(self.summaries) if end is None else end)
        names = [f"{shard:05d}.vectors" for shard in shards]
        with self.folder.fetched_from(names) as folder:
            summaries = [self.summaries[shard] for shard in shards]
            yield VectorRows(
                [
                    VectorFile(folder / name, each.sentences, each.dimension)
                    for name, each in zip(names, summaries, strict=True)
                ]
            )

    def identities(self) -> Identities:
        """Of all sentences."""
        found = [np.zeros(0, np.uint64)]
        for shard in range(len(self.summaries)):
            with self.pile(shard) as pile:
                found.append(pile.identities)
        return np.concatenate(found)


class VectorRows:
    """Vectors of several files, as if they were one."""

    def __init__(self, files: Sequence[VectorFile]) -> None:
        self._files = files
        self._begins = np.cumsum([0, *map(len, files)])
        self.dimension = files[0].dimension

    def __len__(self) -> int:
        return int(self._begins[-1])

    def __getitem__(self, which: slice, /) -> Vectors:
        begin, end, _ = which.indices(len(self))
        rows = np.empty((max(end - begin, 0), self.dimension), np.float32)  # filled file by file, so held once
        for file, first in zip(self._files, self._begins.tolist(), strict=False):
            low, high = max(begin - first, 0), min(end - first, len(file))
            if low < high:
                rows[first + low - begin : first + high - begin] = file[low:high]
        return rows
