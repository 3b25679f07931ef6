"""Bitext in shards: each is a bitext of its own, and all are of one language pair."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from .. import _kernel
from ..corpus import Bitext, Columns, Languages, find_bitexts
from ..tasks.inputs import common_languages
from .engine import Receipt, Task
from .places import Place


@dataclass(frozen=True)
class HowToRead:
    languages: tuple[str, ...] = ()
    columns: Columns | None = None
    format: str | None = None

    @contextlib.contextmanager
    def bitext(self, task: Task) -> Iterator[Bitext]:
        """The shard of a task, at hand.

        Raises:
            CorpusError: it is one side of a parallel corpus.
        """
        with Place(task["shard"]).fetched() as path:
            (found,) = find_bitexts([str(path)], self.languages, self.columns, self.format)
            yield found


@dataclass(frozen=True)
class CountShard:
    """How many pairs there are, how many of them have two sides, and which languages the shard tells."""

    reading: HowToRead

    def __call__(self, task: Task) -> Receipt:
        pairs = filled = 0
        with self.reading.bitext(task) as bitext, bitext.open() as opened:
            for batch in opened.batches:
                pairs += len(batch)
                filled += len(_kernel.without_blank(batch))
            languages = opened.languages or bitext.languages
        return {"pairs": pairs, "filled": filled, "languages": languages, "bitext": bitext.name}


@dataclass(frozen=True)
class PickPairs:
    """Some pairs of a shard, by their numbers among those with two sides."""

    reading: HowToRead

    def __call__(self, task: Task) -> Receipt:
        wanted, picked, seen = iter([*task["picked"], -1]), [], 0
        place = next(wanted)
        with self.reading.bitext(task) as bitext:
            for batch in bitext.batches():
                pairs = _kernel.without_blank(batch)
                while seen <= place < seen + len(pairs):
                    picked.append(list(pairs[place - seen]))
                    place = next(wanted)
                seen += len(pairs)
        return {"pairs": picked}


def languages_of(tasks: Sequence[Task], counted: Sequence[Receipt]) -> Languages | None:
    """Those that the shards tell.

    Raises:
        CorpusError: they are of different language pairs.
    """
    told = [
        Bitext((task["shard"],), tuple(each["languages"]) if each["languages"] else None)
        for task, each in zip(tasks, counted, strict=True)
    ]
    return common_languages(told)
