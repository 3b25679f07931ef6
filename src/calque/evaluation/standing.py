"""Sets by how well the models know their languages: what is a mean over, and what is listed apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..model.familiarity import warn
from ..model.quality import TIERS, Tier
from .result import Result, mean_of
from .subject import Subject

Standing = Mapping[str, Tier | None]  # by a set's name

MANY = 10  # sets whose languages have been measured: from here on, each tier has a mean of its own
_MOST = 12  # languages that a warning lists
_FROM_WORST: tuple[Tier | None, ...] = ("unknown", None, *reversed(TIERS))


def tier_of(subject: Subject, each: Any) -> Tier | None:
    """The tier of a set is that of the language that the model knows least; None where that is not known."""
    languages = getattr(each, "languages", None)  # the texts of the suite `speed` have none
    return min(map(subject.tier, languages), key=_FROM_WORST.index) if languages else None


def standing_of(subjects: Sequence[Subject], sets: Sequence[Any]) -> Standing:
    """The tiers of the first model, and `unknown` for what any of them was not trained on: all have the same means."""
    found: dict[str, Tier | None] = {}
    for each in sets:
        tiers = [tier_of(subject, each) for subject in subjects]
        found[getattr(each, "name", "")] = "unknown" if "unknown" in tiers else tiers[0]
    return found


def known_first(sets: Sequence[Any], standing: Standing) -> Sequence[Any]:
    if "unknown" not in standing.values():
        return sets
    return sorted(sets, key=lambda each: standing[each.name] == "unknown")


def means(
    suite: str, subject: Subject, results: Sequence[Result], groups: Sequence[str], tiers: Sequence[Tier | None]
) -> list[Result]:
    """Means of each group's sets (a year's), where there are several groups, and of all sets: what papers report.

    Sets in unknown languages have a mean of their own. Where there are many measured languages, each tier has one.
    """
    members: dict[str, list[Result]] = {}
    known = [at for at, tier in enumerate(tiers) if tier != "unknown"]
    for at in known:
        members.setdefault(groups[at], []).append(results[at])
    named = {group: some for group, some in members.items() if group} if len(members) > 1 else {}
    made = [mean_of(f"{suite}:{group}", some, subject.signature) for group, some in named.items()]
    if len(known) > 1:
        made.append(mean_of(f"{suite}:mean", [results[at] for at in known], subject.signature))
    for tier in (*_told(tiers), "unknown"):
        some = [result for result, its in zip(results, tiers, strict=True) if its == tier]
        if len(some) > 1:
            made.append(mean_of(f"{suite}:{tier}", some, subject.signature))
    return made


def _told(tiers: Sequence[Tier | None]) -> Sequence[Tier]:
    measured = [tier for tier in tiers if tier in TIERS]
    return TIERS if len(measured) >= MANY and len(set(measured)) > 1 else ()


def warn_of_sets(subject: Subject, sets: Sequence[Any]) -> None:
    """Warn once, before the work, of all sets in languages that a model knows badly or not at all."""
    languages = {one: subject.tier(one) for each in sets for one in getattr(each, "languages", None) or ()}
    unknown, weak = (sorted(one for one, tier in languages.items() if tier == each) for each in ("unknown", "weak"))
    told = []
    if unknown:
        told.append(f"was not trained on {_listed(unknown)}: such sets come last and are left out of the means")
    if weak:
        told.append(f"is weak in {_listed(weak)}")
    if told:
        new = f" --add-language {unknown[0]}" if unknown else ""
        hint = f"calque train BITEXT --init {subject.label}{new} --out DIR teaches it"
        warn(f"{subject.label} {', and '.join(told)}", hint)


def _listed(languages: Sequence[str]) -> str:
    more = f" and {len(languages) - _MOST} more" if len(languages) > _MOST else ""
    return ", ".join(languages[:_MOST]) + more
