"""What a model makes of sentences in four languages that it was not trained on."""

from __future__ import annotations

import time
from dataclasses import dataclass
from importlib.resources import files
from typing import NamedTuple

import numpy as np

from ..model import Model, load
from ..model.box import NAME as BOX
from ..model.box import has_box

LANGUAGES = {"en": "English", "es": "Spanish", "de": "German", "fr": "French"}
HELD_OUT = 100  # lines that training never sees
CHANCE = 1 / HELD_OUT
SPEED_SENTENCES = 200_000

Text = dict[str, list[str]]  # line n of each language translates line n of the others


class Neighbour(NamedTuple):
    """The nearest among the held-out sentences of another language."""

    query: str
    language: str
    found: str
    score: float
    right: bool


class Speed(NamedTuple):
    """Sentences a second: of new text, and of much text whose words have been met."""

    first_time: float
    again: float


@dataclass(frozen=True)
class Look:
    model: Model
    similarities: list[tuple[str, str, float]]
    neighbours: list[Neighbour]
    found: dict[str, float]  # by language, the share of held-out English sentences that found their translation
    speed: Speed


class Opened(NamedTuple):
    """The model in the box, and how long it took to open it."""

    look: Look
    seconds: float


def sentences() -> Text:
    """The parallel text, by language. Written for Calque; public domain (CC0)."""
    text = (files(__package__) / "sentences.tsv").read_text(encoding="utf-8")
    columns = zip(*(line.split("\t") for line in text.strip("\n").split("\n")), strict=True)
    return dict(zip(LANGUAGES, map(list, columns), strict=True))


def held_out(text: Text) -> Text:
    return {language: lines[-HELD_OUT:] for language, lines in text.items()}


def look_into_box(threads: int | None = None) -> Opened | None:
    """None where the package holds no model."""
    if not has_box():
        return None
    begun = time.monotonic()
    model = load(BOX)
    seconds = time.monotonic() - begun
    return Opened(look_at(model, threads), seconds)


def look_at(model: Model, threads: int | None = None) -> Look:
    text = sentences()
    unseen = held_out(text)
    return Look(
        model,
        _similarities(model, unseen),
        _neighbours(model, unseen),
        found_translations(model, unseen),
        _speed(model, text, threads),
    )


def found_translations(model: Model, unseen: Text) -> dict[str, float]:
    vectors = {language: model.encode(lines, normalize=True) for language, lines in unseen.items()}
    nearest = {language: np.argmax(vectors["en"] @ vectors[language].T, axis=1) for language in unseen}
    return {
        language: float(np.mean(nearest[language] == np.arange(HELD_OUT))) for language in unseen if language != "en"
    }


def _similarities(model: Model, unseen: Text) -> list[tuple[str, str, float]]:
    """One sentence beside its translations and beside others."""
    sentence = unseen["en"][0]
    others = [unseen[language][0] for language in ("es", "de", "fr")] + [unseen[language][1] for language in unseen]
    return [(sentence, other, model.similarity(sentence, other)) for other in others]


def _neighbours(model: Model, unseen: Text) -> list[Neighbour]:
    shown = []
    for number, language in enumerate(("es", "de", "fr", "es", "de", "fr"), start=2):
        scores = (
            model.encode(unseen[language], normalize=True) @ model.encode([unseen["en"][number]], normalize=True)[0]
        )
        best = int(np.argmax(scores))
        shown.append(
            Neighbour(unseen["en"][number], language, unseen[language][best], float(scores[best]), best == number)
        )
    return shown


def _speed(model: Model, text: Text, threads: int | None) -> Speed:
    """Held-out lines have been encoded before, so the first pass leaves them out."""
    new = [sentence for lines in text.values() for sentence in lines[:-HELD_OUT]]
    many = new * (SPEED_SENTENCES // len(new))

    def rate(texts: list[str]) -> float:
        begun = time.perf_counter()
        model.encode(texts, threads=threads)
        return len(texts) / max(time.perf_counter() - begun, 1e-9)

    return Speed(rate(new), max(rate(many) for _ in range(4)))
