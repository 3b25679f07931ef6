"""Pairs in, the pairs worth keeping out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np
import numpy.typing as npt

from ...batches import regrouped
from ..pair import Languages, Pair
from .duplicates import Duplicate
from .measures import Batch
from .mojibake import repair
from .presets import Cleaning
from .report import Counted, Report
from .rule import Rule

BATCH = 8192  # pairs; enough for threads to be worth waking
NO_OBJECTION = -1

Reject = Callable[[str, list[Pair]], None]


def clean_batches(
    batches: Iterable[list[Pair]],
    cleaning: Cleaning,
    report: Report,
    *,
    languages: Languages | None = None,
    threads: int = 1,
    reject: Reject | None = None,
) -> Iterator[list[Pair]]:
    """The pairs that every rule accepts; the report is up to date whenever a batch is given out.

    The first rule that does not accept a pair is the one that drops it.
    """
    report.skipped = dict(cleaning.skipped)
    report.dropped = {rule.name: report.dropped.get(rule.name) or Counted() for rule in cleaning.rules}
    for pairs in regrouped(batches, BATCH):
        batch = prepared(Batch(pairs, languages, threads), cleaning, report)
        report.read += len(batch)
        objections = first_objections(batch, cleaning.rules)
        for place in np.unique(objections[objections != NO_OBJECTION]):
            dropped = [batch.pairs[at] for at in np.flatnonzero(objections == place)]
            report.dropped[cleaning.rules[place].name].add(dropped)
            if reject:
                reject(cleaning.rules[place].name, dropped)
        kept = [batch.pairs[at] for at in np.flatnonzero(objections == NO_OBJECTION)]
        report.kept += len(kept)
        report.forgotten = forgotten(cleaning.rules)
        yield kept


def first_objections(batch: Batch, rules: Sequence[Rule]) -> npt.NDArray[np.int16]:
    """The place of the first rule that does not accept each pair; a rule sees only what those before it accept."""
    found = np.full(len(batch), NO_OBJECTION, np.int16)
    left = np.arange(len(batch))
    for place, rule in enumerate(rules):
        if not len(left):
            break
        accepted = rule.accept(rule.score(batch))
        if not accepted.all():
            found[left[~accepted]] = place
            left, batch = left[accepted], batch.select(accepted)
    return found


def forgotten(rules: Sequence[Rule]) -> int:
    """Pairs beyond the memory for duplicates, so far."""
    return sum(rule.forgotten for rule in rules if isinstance(rule, Duplicate))


def prepared(batch: Batch, cleaning: Cleaning, report: Report) -> Batch:
    """What the rules are to see: without mojibake, if that is to be mended; the report counts what was."""
    mended = repair(batch) if cleaning.repairs else {}
    if not mended:
        return batch
    pairs = list(batch.pairs)
    for at, pair in mended.items():
        report.repaired.add([(*pairs[at], *pair)])
        pairs[at] = pair
    return Batch(pairs, batch.languages, batch.threads)
