"""Which rules a name stands for, and what the user changes about them."""

from __future__ import annotations

import difflib
import math
from collections.abc import Sequence
from dataclasses import dataclass

from ...errors import UsageError
from . import mojibake
from .custom import custom_rule
from .duplicates import Duplicate, NearDuplicate
from .language import WrongLanguage
from .rule import Rule
from .rules import (
    ControlCharacters,
    Empty,
    Identical,
    LengthRatio,
    Numbers,
    TooFewLetters,
    TooLong,
    WrongScript,
)

# In the order in which they are asked: cheap ones first, and duplicates among what is left.
RULES: tuple[type[Rule], ...] = (
    Empty,
    ControlCharacters,
    TooLong,
    LengthRatio,
    Identical,
    TooFewLetters,
    WrongScript,
    Numbers,
    WrongLanguage,
    Duplicate,
    NearDuplicate,
)
_BY_NAME = {rule.name: rule for rule in RULES}

# Limits of each preset; None: the rule has none.
_LIGHT: dict[str, float | None] = {
    "empty": None,
    "control-characters": None,
    "too-long": 1000,
    "length-ratio": 4,
    "identical": None,
    "too-few-letters": 0.8,
    "wrong-script": 0.5,
    "duplicate": None,
}
_STRICT = _LIGHT | {
    "too-long": 500,
    "length-ratio": 2.5,
    "too-few-letters": 0.5,
    "numbers": 0.3,
    "wrong-language": 0.8,
    "near-duplicate": None,
}
PRESETS: dict[str, dict[str, float | None]] = {"none": {}, "light": _LIGHT, "strict": _STRICT}


@dataclass(frozen=True)
class Cleaning:
    """What to do: mend mojibake or not, then the rules; `skipped` says which of a preset's rules cannot work here."""

    rules: tuple[Rule, ...]
    repairs: bool
    skipped: dict[str, str]


def limits_of(preset: str, checks_languages: bool = False) -> dict[str, float | None]:
    """The rules of a preset with their limits; `checks_languages` as in `choose_rules`."""
    limits = PRESETS[preset]
    if not checks_languages or preset == "none":
        return limits
    return limits | {WrongLanguage.name: limits.get(WrongLanguage.name, WrongLanguage.limit)}


def choose_rules(
    preset: str = "light",
    rules: Sequence[str] = (),
    without: Sequence[str] = (),
    *,
    languages_known: bool = True,
    checks_languages: bool = False,
) -> Cleaning:
    """A preset's rules with those of `rules` added or changed (`length-ratio=3`, `module:function`), less `without`.

    `checks_languages` adds `wrong-language` to any preset but `none`; its caller tells it what languages to expect. A
    rule of a preset that cannot work here is skipped, and that is told; one that was asked for by name is an error.

    Raises:
        UsageError: no such preset or rule; a limit that is no number, or where there is none.
    """
    if preset not in PRESETS:
        raise UsageError(f"no preset {preset!r}", hint=f"one of {', '.join(PRESETS)}")
    custom = [custom_rule(spec) for spec in rules if ":" in spec]
    named = dict(_parsed(spec) for spec in rules if ":" not in spec)
    repairs = (preset != "none" or mojibake.NAME in named) and mojibake.NAME not in without
    left_out = {_rule_named(name).name for name in without if name != mojibake.NAME}
    limits = limits_of(preset, checks_languages)
    made, skipped = [], {}
    for kind in RULES:
        if kind.name in left_out or kind.name not in limits.keys() | named.keys():
            continue
        told = named.get(kind.name)
        limit = limits.get(kind.name) if told is None else told
        rule = kind() if limit is None else kind(limit)
        reason = _reason_to_skip(rule, languages_known or (checks_languages and kind is WrongLanguage))
        if reason and kind.name in named:
            raise UsageError(f"rule {kind.name}: {reason}", hint="or leave the rule out")
        if reason:
            skipped[kind.name] = reason
        else:
            made.append(rule)
    # Before duplicates, so that the first of several copies is one that is kept.
    at = next((at for at, rule in enumerate(made) if isinstance(rule, Duplicate)), len(made))
    return Cleaning((*made[:at], *custom, *made[at:]), repairs, skipped)


def _reason_to_skip(rule: Rule, languages_known: bool) -> str | None:
    if rule.needs_languages and not languages_known:
        return "needs the languages: pass --languages, like en es"
    return rule.missing()


def _parsed(spec: str) -> tuple[str, float | None]:
    """A rule's name and the limit that it is given, if any."""
    name, equals, value = spec.partition("=")
    if spec == mojibake.NAME:
        return name, None
    rule = _rule_named(name)
    if not equals:
        return name, None
    try:
        limit = float(value)
    except ValueError:
        limit = math.nan
    if not rule.adjustable or not 0 <= limit < math.inf:
        expected, example = ("a number from 0", f"{name}={rule.limit:g}") if rule.adjustable else ("no limit", name)
        raise UsageError(f"rule {name}: expected {expected} after the name, got {spec!r}", hint=f"like {example}")
    return name, limit


def _rule_named(name: str) -> type[Rule]:
    if name not in _BY_NAME:
        names = [*_BY_NAME, mojibake.NAME]
        near = difflib.get_close_matches(name, names, n=1)
        hint = f"did you mean {near[0]}? " if near else ""
        raise UsageError(f"no rule {name!r}", hint=f"{hint}there are {', '.join(names)}, and module:function")
    return _BY_NAME[name]
