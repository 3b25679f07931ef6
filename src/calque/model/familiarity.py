"""Warnings, before the work, about text in a language that a model knows badly or not at all."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import NamedTuple, TypeVar

from ..corpus.pair import Languages, Pair
from ..errors import LanguageWarning
from .model import Model
from .quality import LanguageQuality, Tier

LINES = 300  # lines that tell a side's language

# docs/results/estimates.md: of 100 translations, mining found 12 to 51 in weak languages and 0 to 18 in unknown ones.
MINING = (
    "In tests on such languages, mining missed about half to nearly all of the translations, and often a third of what "
    "it found was wrong"
)
FILTERING = "Its scores tell right pairs from wrong ones less surely, above all near ones and halves"
ALIGNING = "Expect more blocks to be wrong, above all where sentences are left out or added"
SEARCHING = "Expect it to miss much that means the same in other words or another language"
COMPARING = "Its similarities say less about the meaning, and more about the letters"
# docs/results/estimates.md, "A weak language trained further".
_TRAINED = "42,000 pairs, 10 seconds of training, raised the F1 of mining Korean from 0.64 to 0.75"
# Tatoeba both ways, before and after: docs/guides/add-a-language.md.
_ADDED = (
    "33,000 pairs, 25 seconds of training, raised the share of Esperanto that finds its translation from 36% to 92%"
)
_MEASURED = ". Add --dev HELD-OUT, some hundred other pairs, so that the new model knows how good it is"


@dataclass(frozen=True)
class Side:
    """Text that is about to be worked on: its name, its language if the caller has named it, and some of its lines."""

    name: str
    language: str | None = None
    lines: Sequence[str] = ()


@dataclass(frozen=True)
class _Known:
    """A side's language, and how it is known: "" if the caller has named it."""

    side: str
    code: str
    by: str = ""


class Doubt(NamedTuple):
    """A reason to expect little of a text, and the cure."""

    message: str
    hint: str


def warn_of_languages(model: Model, *sides: Side, expect: str) -> None:
    """Warn once for each language of the sides that is weak or unknown to the model: what to `expect`, and the cure."""
    for doubt in doubts_about(model, *sides, expect=expect):
        warn(*doubt)


def doubts_about(model: Model, *sides: Side, expect: str) -> list[Doubt]:
    """Return what there is to warn of, once for each language."""
    found: dict[str, Doubt] = {}
    if model.languages or model.about.quality:
        for side in sides:
            known = _language_of(side)
            if known is not None and known.code not in found and (doubt := _doubt(model, known, expect)):
                found[known.code] = doubt
    return list(found.values())


def doubt_about(model: Model, *languages: str | None) -> str:
    """The reason why estimates cannot be believed for text in these languages; empty if there is none."""
    for code in filter(None, languages):
        tier = tier_of_text(model, code)
        if tier == "unknown":
            return f"the model was not trained on {code}"
        if tier == "weak":
            return f"the model is weak in {code}"
    return ""


def warn_of_model(model: Model) -> None:
    """Warn of all languages that a model is weak in, where it is not known which the texts will be in."""
    weak = [language for language in model.languages if model.tier(language) == "weak"]
    if weak:
        warn(
            f"the model is weak in {', '.join(weak)}, and unknown to it is any language that /v1/models does not list",
            f"calque train BITEXT --init {model.to_start_from} --out DIR trains it further; {_TRAINED}",
        )


def warn(message: str, hint: str) -> None:
    """Name the caller's line, however deep within the package the warning arises: Python shows it once for each."""
    level, frame = 2, sys._getframe(1)
    package = __name__.partition(".")[0]
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == package:
        level, frame = level + 1, frame.f_back
    warnings.warn(f"{message}\nhint: {hint}", LanguageWarning, stacklevel=level)


Item = TypeVar("Item")


def peeked(texts: Iterable[Item]) -> tuple[Sequence[Item], Iterable[Item]]:
    """The first lines, and all of them: an iterator can be gone through only once."""
    if isinstance(texts, Sequence):
        return texts[:LINES], texts
    stream = iter(texts)
    head = list(islice(stream, LINES))
    return head, chain(head, stream)


def side_of_file(path: str | Path, language: str | None = None, column: int | str | None = None) -> Side:
    """A file by its name and its first lines; a pipe is not looked into, as it can be read only once."""
    from ..corpus.texts import read_texts

    lines = list(islice(read_texts(path, column), LINES)) if os.path.isfile(path) else []
    return Side(str(path), language, lines)


def sides_of_pairs(pairs: Sequence[Pair], languages: Languages | None) -> tuple[Side, Side]:
    """Both sides of bitext by its first pairs, in the languages that the caller or the files have named."""
    one, two = languages or (None, None)
    sample = pairs[:LINES]
    return (
        Side("the source side", one, [pair[0] for pair in sample]),
        Side("the target side", two, [pair[1] for pair in sample]),
    )


def tier_of_text(model: Model, code: str) -> Tier | None:
    """As `model.tier`, for a language that was told by its text: Bosnian counts as Croatian, which reads the same."""
    tier = model.tier(code)
    near = _nearest(code, model.languages) if tier == "unknown" else None
    return model.tier(near) if near is not None else tier


def _language_of(side: Side) -> _Known | None:
    from ..corpus.bitext import language_of_file
    from ..corpus.identification import available, language_of

    if side.language is not None:
        return _Known(side.name, side.language)
    named = language_of_file(side.name)
    if named is not None:
        return _Known(side.name, named, "by its name")
    found = language_of(side.lines) if side.lines and available() else None
    return None if found is None else _Known(side.name, found, "by its text")


def _doubt(model: Model, known: _Known, expect: str) -> Doubt | None:
    tier = tier_of_text(model, known.code) if known.by else model.tier(known.code)
    quality = model.quality(known.code)
    what = f"{' '.join(known.side.split())} is in {known.code}{f' ({known.by})' if known.by else ''}"
    if tier == "unknown":
        return Doubt(
            f"{what}, which the model was not trained on. {expect}",
            f"{model.teaching(known.code)} teaches it; {_ADDED}{_MEASURED}",
        )
    if tier == "weak" and quality is not None:
        return Doubt(
            f"{what}, in which the model is weak: {_figure(quality)}. {expect}",
            f"calque train BITEXT --init {model.to_start_from} --out DIR trains it further; {_TRAINED}{_MEASURED}",
        )
    return None


def _figure(quality: LanguageQuality) -> str:
    return f"{quality.found:.1f}% of {quality.n:,} sentences find their translation ({quality.set}, {quality.date})"


_NEAR = 10  # langcodes' distance of languages whose readers read the other as well


def _nearest(code: str, trained: Sequence[str]) -> str | None:
    from langcodes import closest_match

    found, _ = closest_match(code, trained, max_distance=_NEAR)
    return found if found != "und" else None
