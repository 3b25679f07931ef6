"""Piles and bitexts whose right answers are known, made by a fixed seed.

Their text is none that the model in the box was trained on.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain, islice
from typing import NamedTuple

import numpy as np
from common import DATA, bitext_path

from calque.corpus import Pair, read_bitext
from calque.corpus.texts import read_texts

# The box was trained on Europarl, Tatoeba and LibreOffice; none of these.
# Not pawsx, mtgeneval or mkqa, whose sentences come in versions that differ in a word.
_RUNNING = ("tico19", "xquad", "alt", "indicwiki")  # health, news and Wikipedia
_FLORES = {"de": "deu_Latn", "es": "spa_Latn", "fr": "fra_Latn", "hi": "hin_Deva", "ru": "rus_Cyrl"}
_TECHNICAL = "ethorg"  # documentation: running text where there is no other
_OTHER = ("opensubs-multi", "cataclysm", "storybooks", "gutenberg", "msctd")
# What else a pile may hold; the model has seen this text, which is no one's translation there.
AMONG = {
    "everyday sentences": ("tatoeba", "tatoeba-pivot"),
    "speeches": ("europarl",),
    "subtitles": ("opensubs-multi", "opensubs-contra", "opensubs-voita"),
    "interface strings": ("libreoffice",),
}
NOISE = {"shuffled": 0.1, "halved": 0.1, "foreign": 0.1, "copied": 0.1}  # shares of a bitext
NOISES = {
    "nothing": {},
    "a third as much of each": {kind: 0.033 for kind in NOISE},
    "half as much again of each": {kind: 0.15 for kind in NOISE},
    "three in ten shuffled": {"shuffled": 0.3},
    "six in ten shuffled": {"shuffled": 0.6},
    "two in ten halved": {"halved": 0.2},
}
_FEWEST_WORDS = 6  # of English: shorter lines translate each other by chance ("Watch.", "Report")
_FOREIGN = "de"
_FOREIGN_TO_GERMAN = "fr"
_ENOUGH = 900  # pairs of running text, for a language to be tried
_ENOUGH_OTHER = 2500
_FEWEST_AMONG = 1500


class Size(NamedTuple):
    """How many lines of each kind a pile holds."""

    translated: int = 600
    untranslated: int = 206
    foreign: int = 100
    distracting: int = 2500
    english: int = 5806
    known: int = 300


USUAL = Size()
SIZES = {
    "few translations": Size(translated=150),
    "little English": Size(english=800, known=0),
    "nearly all translated": Size(800, 50, 20, 100, 1000, 0),
}
NOTHING_TRANSLATED = Size(translated=0, foreign=0)


@dataclass(frozen=True)
class Piles:
    """Two piles of lines; `gold` are places of sources and their translations."""

    source: list[str]
    target: list[str]
    gold: set[tuple[int, int]]
    foreign: set[int]  # sources in a third language
    known: list[Pair]  # translations of the same kind that are in neither pile, English first


class Noisy(NamedTuple):
    pair: Pair
    kind: str


def languages() -> list[str]:
    """Languages with enough running text that the model has not seen."""
    codes = {path.name.split(".")[1].removeprefix("en-") for path in (DATA / "bitext").glob("*.en-*.tsv.xz")}
    return sorted(code for code in codes if code != "en" and len(running_text(code)) >= _ENOUGH)


@cache
def running_text(language: str) -> list[Pair]:
    """English first; each side once."""
    text = _distinct(chain(_flores(language), () if language in _FLORES else _texts(_RUNNING, language)))
    return text if len(text) >= _ENOUGH else _distinct(_texts([_TECHNICAL], language))


@cache
def other_text(language: str) -> list[Pair]:
    text = _distinct(_texts(_OTHER, language))
    if len(text) < _ENOUGH_OTHER:
        running = set(running_text(language))
        text += [pair for pair in _distinct(_texts([_TECHNICAL], language)) if pair not in running]
    return text


@cache
def text_among(sources: tuple[str, ...], language: str) -> list[Pair]:
    """Lines of some sources, short ones, too; without sources, of several kinds."""
    return _distinct(_texts(sources, language, fewest_words=1)) if sources else other_text(language)


def has_enough(language: str, size: Size = USUAL, among: tuple[str, ...] = ()) -> bool:
    """True if there is enough text for such piles."""
    enough = len(running_text(language)) >= size.translated + size.untranslated
    return enough and len(text_among(among, language)) >= _FEWEST_AMONG


def make_piles(language: str, seed: int, size: Size = USUAL, among: tuple[str, ...] = ()) -> Piles:
    """Translated and untranslated lines, lines of another language and distracting ones, against English.

    The distracting lines are from `among`, some sources, or of several kinds. Half of the foreign lines have their own
    translation in English; those pairs count as wrong, because the user asked for translations out of `language`.
    """
    random = np.random.default_rng([seed, *language.encode()])
    main = _shuffled(running_text(language), random)
    third = _FOREIGN if language != _FOREIGN else _FOREIGN_TO_GERMAN
    translated = main[: size.translated]
    used = {pair.source for pair in translated}
    untranslated = main[size.translated : size.translated + size.untranslated]
    begin = size.translated + size.untranslated
    known = main[begin : begin + size.known]
    taken = used | {pair.source for pair in [*untranslated, *known]}
    foreign = [pair for pair in _shuffled(running_text(third), random) if pair.source not in taken][: size.foreign]
    rest = [*_shuffled(text_among(among, language), random), *main[begin + size.known :]]
    distracting = [rest[at].target for at in random.permutation(len(rest))[: size.distracting]]
    chosen = set(distracting)
    avoided = taken | {pair.source for pair in foreign} | {pair.source for pair in rest if pair.target in chosen}
    spare = [line for line in _english((third, language), among) if line not in avoided]
    fill = [spare[at] for at in random.permutation(len(spare))]
    english = [pair.source for pair in translated] + [pair.source for pair in foreign[::2]]
    english += fill[: size.english - len(english)]
    sources = [pair.target for pair in [*translated, *untranslated, *foreign]] + distracting
    source_order, target_order = random.permutation(len(sources)), random.permutation(len(english))
    source_place, target_place = np.argsort(source_order), np.argsort(target_order)
    gold = {(int(source_place[at]), int(target_place[at])) for at in range(len(translated))}
    return Piles(
        [sources[at] for at in source_order],
        [english[at] for at in target_order],
        gold,
        {int(source_place[at]) for at in range(begin, begin + len(foreign))},
        known,
    )


def make_noisy(language: str, seed: int, noise: Mapping[str, float] = NOISE, pairs: int = 3000) -> list[Noisy]:
    """Make a bitext of which these shares are shuffled, halved, in another language or copied."""
    random = np.random.default_rng([seed, 1, *language.encode()])
    text = _shuffled([*running_text(language), *other_text(language)], random)[:pairs]
    third = _shuffled(running_text(_FOREIGN if language != _FOREIGN else _FOREIGN_TO_GERMAN), random)
    kinds, shares = [*noise, "right"], [*noise.values(), 1 - sum(noise.values())]
    made = []
    for at, (english, other) in enumerate(text):
        kind = kinds[int(random.choice(len(kinds), p=shares))]
        if kind == "shuffled":
            other = text[(at + 1 + int(random.integers(len(text) - 1))) % len(text)].target
        elif kind == "halved":
            english, other = (_half(english), other) if random.random() < 0.5 else (english, _half(other))
        elif kind == "foreign":
            other = third[at % len(third)].target
        elif kind == "copied":
            other = english
        made.append(Noisy(Pair(english, other), kind))
    return made


def _half(text: str) -> str:
    words = text.split()
    if len(words) < 4:
        return text[: len(text) // 2]
    return " ".join(words[: len(words) // 2])


@cache
def _english(languages: tuple[str, ...], among: tuple[str, ...]) -> list[str]:
    lines = [pair.source for language in languages for pair in [*running_text(language), *text_among(among, language)]]
    lines += [pair.source for pair in islice(read_bitext(bitext_path("wikisplit.en-en")), 4000)]
    return list(dict.fromkeys(lines))


def _flores(language: str) -> Iterator[Pair]:
    if language in _FLORES:
        sides = [read_texts(DATA / "eval/flores200-dev" / f"{name}.txt") for name in ("eng_Latn", _FLORES[language])]
        yield from (Pair(*lines) for lines in zip(*sides, strict=True))


def _texts(names: Sequence[str], language: str, fewest_words: int = _FEWEST_WORDS) -> Iterator[Pair]:
    for name in names:
        if (DATA / "bitext" / f"{name}.en-{language}.tsv.xz").exists():
            some = islice(read_bitext(bitext_path(f"{name}.en-{language}")), 20_000)
            yield from islice((pair for pair in some if len(pair.source.split()) >= fewest_words), 4000)


def _distinct(pairs: Iterator[Pair]) -> list[Pair]:
    seen: set[str] = set()
    kept = []
    for pair in pairs:
        if pair.source not in seen and pair.target not in seen:
            kept.append(pair)
            seen |= set(pair)
    return kept


def _shuffled(pairs: Sequence[Pair], random: np.random.Generator) -> list[Pair]:
    return [pairs[at] for at in random.permutation(len(pairs))]
