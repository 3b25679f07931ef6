"""The pairs of a sample that an estimate is made from, apart from those that are surely no translations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..corpus import Languages, Pair
from ..corpus.cleaning import Cleaning, Report
from ..corpus.cleaning.clean import NO_OBJECTION, first_objections, prepared
from ..corpus.cleaning.duplicates import Duplicate, NearDuplicate
from ..corpus.cleaning.language import WrongLanguage
from ..corpus.cleaning.measures import Batch
from ..corpus.cleaning.rule import Rule
from ..corpus.cleaning.rules import Identical, WrongScript
from ..threads import resolve_threads

_NO_TRANSLATION = (Identical, WrongScript, WrongLanguage)


class Evidence(NamedTuple):
    """A sample of what the rules accept.

    `spoilt` are copies and sides in another language, which the rules would have dropped had they been asked to.
    `languages` are those of the two sides, told or found. A `doubt` is a reason not to believe an estimate.
    """

    pairs: list[Pair]
    spoilt: list[Pair]
    languages: tuple[str | None, ...] = ()
    doubt: str = ""

    @property
    def share_spoilt(self) -> float:
        return len(self.spoilt) / max(len(self.pairs) + len(self.spoilt), 1)


def evidence_of(
    sample: Sequence[Pair],
    cleaning: Cleaning,
    usual: Cleaning,
    languages: Languages | None,
    threads: int | None = None,
) -> Evidence:
    """`usual` are the rules in use unless the user says otherwise; some of them find what is no translation.

    Rules that remember pairs are left out: a sample must not be remembered.
    """
    batch = prepared(Batch(list(sample), languages, resolve_threads(threads)), cleaning, Report())
    batch = batch.select(_accepted(batch, [rule for rule in cleaning.rules if _is_pure(rule)]))
    spoils = [rule for rule in usual.rules if isinstance(rule, _NO_TRANSLATION)]
    good = _accepted(batch, spoils)
    pairs = batch.pairs
    return Evidence(
        [pairs[at] for at in np.flatnonzero(good)],
        [pairs[at] for at in np.flatnonzero(~good)],
    )


def _accepted(batch: Batch, rules: Sequence[Rule]) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    accepted: np.ndarray[tuple[int], np.dtype[np.bool_]] = first_objections(batch, rules) == NO_OBJECTION
    return accepted


def _is_pure(rule: Rule) -> bool:
    return not isinstance(rule, Duplicate | NearDuplicate) and type(rule).__module__.startswith("calque.")
