"""Bitext in shards: each is a bitext of its own, and all are of one language pair."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from .. import _kernel
from ..corpus import Bitext, Columns, Languages, find_bitexts
from ..corpus.formats import format_of
from ..corpus.formats.detect import TEXT
from ..errors import CorpusError, UsageError
from ..tasks.inputs import common_languages
from .engine import Receipt, Task
from .places import Place
from .texts import is_empty

WRITABLE = ("tsv", "csv", "tmx", "jsonl", "parquet")


@dataclass(frozen=True)
class HowToRead:
    languages: tuple[str, ...] = ()
    columns: Columns | None = None
    format: str | None = None

    @contextlib.contextmanager
    def bitext(self, task: Task) -> Iterator[Bitext]:
        """The shard of a task, at hand; one without a byte, as filters leave it where nothing stays, has no pairs.

        Raises:
            CorpusError: it is one side of a parallel corpus.
        """
        with Place(task["shard"]).fetched() as path:
            if is_empty(path):
                yield Bitext((str(path),), format="tsv")
                return
            if self.format is None and format_of(path) == TEXT:
                raise CorpusError(
                    f"{path}, line 1: no tab, so this is one side of a bitext",
                    hint="on a cluster a shard is one file with both: calque corpus convert A B -o both.tsv joins them",
                )
            (found,) = find_bitexts([str(path)], self.languages, self.columns, self.format)
            yield found

    def languages_of(self, tasks: Sequence[Task]) -> Languages | None:
        """Those that the first shard with something in it tells."""
        for task in tasks:
            with Place(task["shard"]).fetched() as path:
                empty = is_empty(path)
            if not empty:
                with self.bitext(task) as bitext:
                    return bitext.languages
        return None


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
                if place < 0:
                    break
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


def format_of_parts(out: str | Path, to: str | None) -> str:
    """As told, or as the folder's name says; what is neither is TSV.

    Raises:
        UsageError: no format of one file.
    """
    ending = str(out).rstrip("/").lower().rpartition(".")[2]
    chosen = to or (ending if ending in WRITABLE else "tsv")
    if chosen not in WRITABLE:
        raise UsageError(f"cannot write {chosen!r} in shards", hint=f"one of {', '.join(WRITABLE)}")
    return chosen


def require_named(to: str, languages: Languages | None) -> None:
    """So that a mistake is told before long work.

    Raises:
        UsageError: a format that names its languages, which are not known.
    """
    if to == "tmx" and languages is None:
        raise UsageError("a TMX file names its languages, and they are not known", hint="name them: --languages en es")
