"""Which lines of a corpus repeat others."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np

from .contrast import Contrast
from .groups import Duplicates
from .leaders import Report, find_leaders, find_references
from .store import Store

Keep = Literal["first", "longest"]
KEEPS: tuple[Keep, ...] = get_args(Keep)


def find_duplicates(
    store: Store,
    threshold: float,
    keep: Keep = "first",
    references: int = 0,
    report: Report = lambda share: None,
    contrast: Contrast | None = None,
) -> Duplicates:
    """Drop a line only for one that is kept and has the same letters and digits, or is that similar.

    With a `contrast`, a similar line stays if a negation or an opposite tells it from the one that is kept.
    With `references`, so many lines at the beginning stay, and the others are compared with them only.
    """
    lines = np.arange(store.lines)
    if not store.count:
        return Duplicates(lines, np.zeros(len(lines), bool), np.zeros(len(lines), np.int8), lines)
    units, unit_of, unit_lines = store.units(), store.unit_of(), store.unit_lines()
    if references:
        known = int(np.searchsorted(unit_lines, references))
        found_there = find_references(units, known, threshold, report, contrast)
        nearest = np.concatenate([np.arange(known), found_there.leader])
        reason, beside = (
            np.concatenate([np.full(known, none, values.dtype), values])
            for none, values in ((0, found_there.spared.reason), (-1, found_there.spared.beside))
        )
    else:
        order = np.arange(len(units)) if keep == "first" else np.argsort(-store.unit_lengths(), kind="stable")
        led = find_leaders(units, order, threshold, report, contrast=contrast)
        nearest, reason, beside = led.leader, led.spared.reason, led.spared.beside
    leading = nearest[unit_of]
    found = (lines >= references) & (unit_of >= 0) & (leading >= 0)
    leader = np.where(found, unit_lines[leading], lines)
    same = units.letters[unit_of] == units.letters[leading]
    stays = (leader == lines) & (unit_of >= 0)
    spared = np.where(stays, reason[unit_of], 0).astype(np.int8)
    return Duplicates(
        leader, (leader != lines) & same, spared, np.where(spared > 0, unit_lines[beside[unit_of]], lines)
    )
