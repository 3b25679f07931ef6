"""Which lines of a corpus repeat others."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np

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
) -> Duplicates:
    """A line is dropped only for one that is kept and has the same letters and digits, or is that similar.

    With `references`, so many lines at the beginning stay, and the others are compared with them only.
    """
    lines = np.arange(store.lines)
    if not store.count:
        return Duplicates(lines, np.zeros(len(lines), bool))
    units, unit_of, unit_lines = store.units(), store.unit_of(), store.unit_lines()
    if references:
        known = int(np.searchsorted(unit_lines, references))
        nearest = np.concatenate([np.arange(known), find_references(units, known, threshold, report)])
    else:
        order = np.arange(len(units)) if keep == "first" else np.argsort(-store.unit_lengths(), kind="stable")
        nearest = find_leaders(units, order, threshold, report)
    leading = nearest[unit_of]
    found = (lines >= references) & (unit_of >= 0) & (leading >= 0)
    leader = np.where(found, unit_lines[leading], lines)
    same = units.letters[unit_of] == units.letters[leading]
    return Duplicates(leader, (leader != lines) & same)
