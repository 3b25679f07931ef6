"""Pairs in, the pairs worth keeping out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import numpy as np

from ...batches import regrouped
from ..pair import Languages, Pair
from .duplicates import Duplicate
from .measures import Batch
from .mojibake import repair
from .presets import Cleaning
from .report import Counted, Report

_BATCH = 8192  # pairs; enough for threads to be worth waking

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
    for pairs in regrouped(batches, _BATCH):
        batch = Batch(pairs, languages, threads)
        report.read += len(batch)
        if cleaning.repairs:
            batch = _repaired(batch, report)
        for rule in cleaning.rules:
            if not len(batch):
                break
            accepted = rule.accept(rule.score(batch))
            if accepted.all():
                continue
            dropped = [batch.pairs[at] for at in np.flatnonzero(~accepted)]
            report.dropped[rule.name].add(dropped)
            if reject:
                reject(rule.name, dropped)
            batch = batch.select(accepted)
        report.kept += len(batch)
        report.forgotten = sum(rule.forgotten for rule in cleaning.rules if isinstance(rule, Duplicate))
        yield batch.pairs


def _repaired(batch: Batch, report: Report) -> Batch:
    mended = repair(batch)
    if not mended:
        return batch
    pairs = list(batch.pairs)
    for at, pair in mended.items():
        report.repaired.add([(*pairs[at], *pair)])
        pairs[at] = pair
    return Batch(pairs, batch.languages, batch.threads)
