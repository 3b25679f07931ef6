"""Rules for repeated pairs, over all shards: what each would ask is handed out, and the answers are foretold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..batches import regrouped
from ..corpus import Languages
from ..corpus.cleaning import Cleaning, Report, Rule
from ..corpus.cleaning.clean import BATCH, first_objections, prepared
from ..corpus.cleaning.duplicates import Duplicate
from ..corpus.cleaning.measures import Batch
from ..corpus.seen import Marks
from ..tasks.filter_rules import Expected, filter_rules, with_languages
from .bitexts import HowToRead
from .engine import Receipt, Task
from .job import Job
from .places import Place
from .repeats import Foretold, Keys, Repeats


@dataclass(frozen=True)
class Rules:
    """What rules were asked for; each worker makes them anew, since some remember what they have seen."""

    preset: str
    rules: tuple[str, ...]
    without: tuple[str, ...]
    languages: Languages | None
    expected: Expected | None = None  # of both sides' languages, once there is a sample

    def made(self, answers: Sequence[Any] = ()) -> Cleaning:
        """The rules, with those for repeated pairs answered by `answers`, one after the other, instead of a table.

        If there are fewer answers than such rules, the rules end with the last one that is answered.
        """
        cleaning, left = self.all(), list(answers)
        rules: list[Rule] = []
        for rule in cleaning.rules:
            if not isinstance(rule, Duplicate):
                rules.append(rule)
            elif left:
                rules.append(replace(rule, seen=left.pop(0)))
            else:
                break
        return replace(cleaning, rules=tuple(rules))

    def all(self) -> Cleaning:
        """
        Raises:
            UsageError: no such rule, or it cannot work here.
        """
        return with_languages(filter_rules(self.preset, self.rules, self.without, self.languages), self.expected)

    @property
    def duplicates(self) -> int:
        """How many of the rules need to know all pairs before."""
        return sum(isinstance(rule, Duplicate) for rule in self.all().rules)


class _Recorded:
    """Writes down what it is asked, and says that nothing was there before."""

    def __init__(self) -> None:
        self.keys: list[Keys] = [np.zeros(0, np.uint64)]

    def add(self, hashes: Keys, /) -> Marks:
        self.keys.append(hashes)
        return np.zeros(len(hashes), bool)


@dataclass(frozen=True)
class KeyPairs:
    """Hands out what a rule for repeated pairs would ask of a shard, once the rules before it have spoken."""

    reading: HowToRead
    rules: Rules
    before: tuple[Repeats, ...]  # of the rules for repeated pairs that come first
    repeats: Repeats
    threads: int

    def __call__(self, task: Task) -> Receipt:
        recorded = _Recorded()
        cleaning = self.rules.made([*foretold(self.before, task), recorded])
        with self.reading.bitext(task) as bitext:
            for pairs in regrouped(bitext.batches(), BATCH):
                batch = Batch(pairs, self.rules.languages, self.threads)
                first_objections(prepared(batch, cleaning, Report()), cleaning.rules)
        keys = np.concatenate(recorded.keys)
        self.repeats.hand_out(int(task["name"]), keys)
        return {"keys": len(keys)}


def foretold(repeats: Sequence[Repeats], task: Task) -> list[Foretold]:
    return [each.foretold(task, count) for each, count in zip(repeats, task["keys"], strict=True)]


def find_repeated(
    job: Job, folder: Place, reading: HowToRead, rules: Rules, tasks: list[Task], sizes: list[int], threads: int
) -> tuple[list[Task], tuple[Repeats, ...]]:
    """The tasks with how many keys each rule asks about, and where the answers are; a rule at a time."""
    found: tuple[Repeats, ...] = ()
    tasks = [task | {"keys": []} for task in tasks]
    for number in range(rules.duplicates):
        place = folder / f"{number}"
        place.make()
        repeats = Repeats.among(place, sizes)
        keyed = job.stage(f"keys-{number}", KeyPairs(reading, rules, found, repeats, threads), tasks)
        repeats.find(job, f"repeats-{number}")
        tasks = [task | {"keys": [*task["keys"], each["keys"]]} for task, each in zip(tasks, keyed, strict=True)]
        found = (*found, repeats)
    return tasks, found
