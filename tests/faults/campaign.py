"""Many disturbed runs, spread evenly over works and faults, and the table of what happened."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import cycle, islice, product

from disturbed import Bench, Outcome, Undisturbed
from kinds import FAULTS
from works import Work


@dataclass(frozen=True)
class Disturbed:
    work: str
    fault: str
    seed: str  # draws the same fault again
    outcome: Outcome


class Campaign:
    """Undisturbed runs are made when they are first needed."""

    def __init__(self, bench: Bench, works: dict[str, Work], seed: int) -> None:
        self.bench = bench
        self.works = works
        self.seed = seed
        self._undisturbed: dict[tuple[str, bool], Undisturbed] = {}

    def run(self, pairs: Sequence[tuple[str, str]]) -> Iterator[Disturbed]:
        """Pairs of a work and a fault, one after the other."""
        for number, (work, fault) in enumerate(pairs):
            yield self.disturb(work, fault, f"{self.seed}-{number}")

    def disturb(self, work: str, fault: str, seed: str) -> Disturbed:
        draw = random.Random(f"{work} {fault} {seed}")
        undisturbed = self._of(work, draw.random() < 0.5)
        return Disturbed(work, fault, seed, self.bench.disturb(undisturbed, FAULTS[fault], draw))

    def _of(self, name: str, with_old: bool) -> Undisturbed:
        work = self.works[name]
        if work.before is None:
            with_old = False
        elif name == "index, adding":
            with_old = True  # there is nothing to add to otherwise
        if (name, with_old) not in self._undisturbed:
            self._undisturbed[name, with_old] = self.bench.undisturbed(work, with_old)
        return self._undisturbed[name, with_old]


def all_pairs(works: Sequence[str], faults: Sequence[str], times: int, seed: int) -> list[tuple[str, str]]:
    """So many pairs, each work with each fault equally often, give or take one, in a drawn order."""
    every = list(product(works, faults))
    random.Random(seed).shuffle(every)
    return list(islice(cycle(every), times))


def table(done: Sequence[Disturbed]) -> str:
    """Markdown: for each work and fault, how often it struck of how many times, and with what the process ended."""
    faults = list(dict.fromkeys(each.fault for each in done if each.fault in FAULTS))
    faults.sort(key=list(FAULTS).index)
    works = list(dict.fromkeys(sorted(each.work for each in done)))
    lines = [f"| | {' | '.join(faults)} |", "|---|" + "---|" * len(faults)]
    for work in works:
        cells = [_cell([each.outcome for each in done if (each.work, each.fault) == (work, fault)]) for fault in faults]
        lines.append(f"| {work} | {' | '.join(cells)} |")
    struck, bad = sum(each.outcome.struck for each in done), sum(bool(each.outcome.problems) for each in done)
    lines += ["", f"{len(done)} runs, {struck} struck, {len(done) - struck} over before; {bad} with problems."]
    return "\n".join(lines) + "\n"


def _cell(outcomes: Sequence[Outcome]) -> str:
    """
    >>> _cell([Outcome(True, 1, ()), Outcome(False, 0, ())])
    '1 of 2 (1)'
    """
    if not outcomes:
        return ""
    codes = sorted({outcome.code for outcome in outcomes if outcome.struck})
    ended = f" ({', '.join(map(str, codes))})" if codes else ""
    return f"{sum(outcome.struck for outcome in outcomes)} of {len(outcomes)}{ended}"
