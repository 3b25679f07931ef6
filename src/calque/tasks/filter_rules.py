"""The rules that filtering cleans by, and the languages that they expect of the two sides."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..corpus import Languages, Pair
from ..corpus.cleaning import Cleaning, choose_rules
from ..corpus.cleaning.language import WrongLanguage, informed
from ..corpus.expectation import MIXED, Expectation, Named, expect, is_mixture, most_of
from ..corpus.expectation import SIZE as LINES
from ..corpus.identification import available, is_known
from ..filtering.evidence import Evidence, evidence_of

PRESET = "light"
_BELIED = 0.5  # share of a side in other languages from which it is doubted that it is in the one it is named for

Expected = tuple[Expectation, Expectation]


def filter_rules(preset: str, rules: Sequence[str], without: Sequence[str], languages: Languages | None) -> Cleaning:
    """Return the rules asked for, and the one against blank sides, which no score outweighs."""
    known = languages is not None
    return choose_rules(preset, [*rules, "empty"], without, languages_known=known, checks_languages=True)


def filter_evidence(
    sample: Sequence[Pair],
    cleaning: Cleaning,
    expected: Expected | None,
    languages: Languages | None,
    threads: int | None,
) -> Evidence:
    """The sample without what the rules drop, and without what they would drop unless told otherwise."""
    usual = with_languages(filter_rules(PRESET, (), (), languages), expected)
    evidence = evidence_of(sample, cleaning, usual, languages, threads)
    if expected is None:
        return evidence._replace(languages=languages or ())
    sides = zip(expected, languages or (None, None), strict=True)
    found = tuple(_language(side, name) for side, name in sides)
    mixed = [name for name, side in zip(("source", "target"), expected, strict=True) if is_mixture(side.mixed)]
    doubt = f"the {' and the '.join(mixed)} side is in several languages" if mixed else ""
    return evidence._replace(languages=found, doubt=doubt)


def _language(side: Expectation, name: str | None) -> str | None:
    """The language of a side: by its text, unless the identifier does not know the one it is named for."""
    if name is not None and not is_known(name):
        return name
    return side.language or most_of(side.mixed) or name


def languages_expected(sample: Sequence[Pair], told: Sequence[str], known: Languages | None) -> Expected | None:
    """The languages of both sides, by a part of the sample; None if there is no identifier.

    They are those that the user has `told`, that are `known` from names, or that most pairs are in.
    """
    if not available():
        return None
    some = sample[:LINES]
    source, target = (
        expect([pair[at] for pair in some], _named(at, told, known), MIXED if known is None else _BELIED)
        for at in (0, 1)
    )
    return source, target


def _named(side: int, told: Sequence[str], known: Languages | None) -> Named:
    by_name = known[side] if known else None
    return Named(by_name, None) if told else Named(None, by_name)


def with_languages(cleaning: Cleaning, expected: Expected | None) -> Cleaning:
    """The same rules, of which the one for languages knows what to expect; what it cannot judge is said as skipped."""
    if expected is None or not any(isinstance(rule, WrongLanguage) for rule in cleaning.rules):
        return cleaning
    skipped = dict(cleaning.skipped)
    if mixed := [(name, each.mixed) for name, each in zip(("source", "target"), expected, strict=True) if each.mixed]:
        found = ", ".join(f"{max(shares.values()):.0%} of the {name} in {next(iter(shares))}" for name, shares in mixed)
        skipped[WrongLanguage.name] = f"found {found}; --languages says what is expected"
    return replace(cleaning, rules=informed(cleaning.rules, expected), skipped=skipped)
