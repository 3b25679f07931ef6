"""Words that turn the meaning of a line, by language: negations, opposites, small numbers.

`opposites.tsv` holds them and says how it is written.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple, TypeVar

COUNTED, BESIDE = 0, 1  # sides of a negation: words that are counted, and words that add nothing beside one of them
_AFFIXES = ("prefix", "suffix")

# A combining mark belongs to its word, but Python's \w leaves out those of Indian scripts. No spaces part the words of
# Chinese, Japanese and Thai, so their entries are sought inside the text.
_WORD = re.compile(r"(?:[^\W\d_]|[\u0300-\u036f\u0900-\u0963\u0966-\u0dff\u200c])+'?")
_WITHOUT_SPACES = re.compile(r"[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff]")
_POINTS = re.compile(r"[\u0591-\u05c7\u0610-\u061a\u0640\u064b-\u0652\u0670\u00ad\u200b]")  # of Hebrew and Arabic
_ACCELERATOR = re.compile(r"[~_&](?=[^\W\d_])")  # of a menu's entry: "Clo~se"
_NOT = re.compile(r"n't\b")
_SHORTEST = 4  # letters of a word that a prefix makes the opposite of: "able" and "unable"
_ELISION = 2  # letters before an apostrophe that belongs to the word: n', qu'


class Mark(NamedTuple):
    """A group of words, by the kind of the row and its place in it."""

    kind: str
    side: int


Marks = tuple[Mark, ...]
Key = TypeVar("Key", bound=Hashable)


class Entry(NamedTuple):
    languages: frozenset[str]
    kind: str
    groups: tuple[tuple[str, ...], ...]


class Reading(NamedTuple):
    """A text, as words and as the marks that they carry."""

    words: Counter[str]
    marks: Counter[Mark]


@cache
def entries() -> tuple[Entry, ...]:
    path = Path(__file__).with_name("opposites.tsv")
    rows = (line.split("\t") for line in path.read_text(encoding="utf-8").splitlines() if not line.startswith("#"))
    return tuple(
        Entry(frozenset(languages.split()), kind, tuple(tuple(group.split(", ")) for group in groups))
        for languages, kind, *groups in rows
    )


@cache
def languages() -> frozenset[str]:
    """Return the codes of the languages that have a list."""
    return frozenset().union(*(entry.languages for entry in entries()))


def normalised(text: str) -> str:
    text = unicodedata.normalize("NFKC", text).casefold().replace("i\u0307", "i").replace("’", "'")
    return text if text.isascii() else _POINTS.sub("", text)


def words_of(text: str) -> list[str]:
    """Return the words of a normalised text.

    >>> words_of("you can't, it's n'est")
    ['you', 'ca', 'not', 'it', 's', "n'", 'est']
    """
    if "'" in text:
        text = _NOT.sub(" not", text)
    found = _WORD.findall(_ACCELERATOR.sub("", text))
    return [word.rstrip("'") if len(word) > _ELISION + 1 or not word.startswith("n") else word for word in found]


@lru_cache(maxsize=8)
def lexicon(language: str | None = None) -> Lexicon:
    """Return the words of one language; of all of them where it is unknown or has no list."""
    code = language.lower().replace("_", "-").partition("-")[0] if language else ""
    return Lexicon([entry for entry in entries() if code in entry.languages or code not in languages()], bool(code))


class Lexicon:
    """Entries as what a text is looked up in."""

    def __init__(self, chosen: Sequence[Entry], known: bool) -> None:
        self._prefixes: set[str] = set()
        self._suffixes: dict[str, set[str]] = {}  # to those that take their place
        self._phrases: dict[tuple[str, ...], Marks] = {}
        self._stems: dict[str, Marks] = {}
        self._ends: dict[str, Marks] = {}
        self._middles: dict[str, Marks] = {}
        self._glyphs: dict[str, Marks] = {}
        for entry in chosen:
            if entry.kind in _AFFIXES:
                self._take_affixes(entry)
                continue
            for side, group in enumerate(entry.groups):
                marks = () if entry.kind == "neutral" else (Mark(entry.kind, side),)
                for word in group:
                    if known or not word.endswith("?"):
                        self._take(normalised(word.removesuffix("?")), marks)
        self._longest = max(map(len, self._phrases), default=1)
        self._glyph = _any_of(self._glyphs)
        self._marks_of_word = lru_cache(maxsize=1 << 14)(self._look_up)
        self.read = lru_cache(maxsize=1 << 12)(self._read)  # a leader is compared with many lines

    def _read(self, text: str) -> Reading:
        plain = normalised(text)
        words = words_of(plain)
        marks = Counter(self._marks(words))
        if self._glyph is not None and not plain.isascii():
            marks.update(mark for found in self._glyph.finditer(plain) for mark in self._glyphs[found[0]])
        return Reading(Counter(words), marks)

    def without_affix(self, word: str) -> set[str]:
        """Return the words that this one would be the opposite of.

        >>> sorted(lexicon("en").without_affix("unhelpful"))
        ['helpful', 'unhelpless']
        """
        sizes = range(1, len(word) - _SHORTEST + 1)
        found = {word[size:] for size in sizes if word[:size] in self._prefixes}
        for begin in range(2, len(word)):
            found.update(word[:begin] + other for other in self._suffixes.get(word[begin:], ()))
        return found

    def _take(self, word: str, marks: Marks) -> None:
        if _WITHOUT_SPACES.search(word):
            _join(self._glyphs, word, marks)
        elif word.startswith("*") and word.endswith("*"):
            _join(self._middles, word.strip("*"), marks)
        elif word.startswith("*"):
            _join(self._ends, word[1:], marks)
        elif word.endswith("*") and " " not in word:
            _join(self._stems, word[:-1], marks)
        else:
            _join(self._phrases, tuple(words_of(word)), marks)

    def _take_affixes(self, entry: Entry) -> None:
        if entry.kind == "prefix":
            self._prefixes.update(map(normalised, entry.groups[0]))
        else:
            for one in map(normalised, entry.groups[0]):
                self._suffixes.setdefault(one, set()).update(map(normalised, entry.groups[1]))

    def _marks(self, words: list[str]) -> Iterator[Mark]:
        """Yield the marks of the words, from left to right; where phrases overlap, those of the longest."""
        at = 0
        while at < len(words):
            for size in range(min(self._longest, len(words) - at), 1, -1):
                found = self._phrases.get(tuple(words[at : at + size]))
                if found is not None:
                    break
            else:
                size, found = 1, self._marks_of_word(words[at])
            yield from found
            at += size

    def _look_up(self, word: str) -> Marks:
        found = self._phrases.get((word,))
        if found is not None:
            return found
        for size in range(len(word), 1, -1):
            if word[:size] in self._stems:
                return self._stems[word[:size]]
        for begin in range(2, len(word)):
            if word[begin:] in self._ends:
                return self._ends[word[begin:]]
        return next((marks for middle, marks in self._middles.items() if middle in word), ())


def _join(table: dict[Key, Marks], key: Key, marks: Marks) -> None:
    """Add what a word means in one more language."""
    table[key] = tuple(dict.fromkeys(table.get(key, ()) + marks))


def _any_of(words: dict[str, Marks]) -> re.Pattern[str] | None:
    """Match any of the words, the longest first."""
    return re.compile("|".join(map(re.escape, sorted(words, key=len, reverse=True)))) if words else None
