"""SentencePiece's normalisation in the terms of tokenizer.json.

SentencePiece has one map from characters, and from sequences of them, to others, and takes the longest match. The
normaliser `Precompiled` reads the same map by graphemes, and takes the shortest match for all of one: É, written as E
and an accent, loses its accent. Sequences are there only to be composed, which NFKC does as well. So NFKC goes first;
and marks that it should not compose, or put in order, because the map does not, are parted from what is before them,
which also makes each of them a grapheme of its own.

What still differs is how characters compose that were added to Unicode after either library was made.
"""

from __future__ import annotations

import base64
import unicodedata
from collections import defaultdict
from collections.abc import Iterable
from functools import cache
from typing import Any

# A control character is always a grapheme of its own, and the map deletes it.
_BREAK = "\x01"
# The one character that NFKC replaces and the map keeps; it is put aside as another one that the map deletes.
_KEPT, _ASIDE = "\uff5e", "\x02"

# What continues a grapheme: marks, joiners, tones of skin, tags, and letters that are written as marks.
_CONTINUING = r"\p{M}\x{E33}\x{EB3}\x{200C}\x{200D}\x{FF9E}\x{FF9F}\x{1F3FB}-\x{1F3FF}\x{E0020}-\x{E007F}"
_LAST_PLANE = 0x20000  # nothing is composed beyond
_SYLLABLES = range(0xAC00, 0xD7A4)  # of Hangul
_FINALS = range(0x11A8, 0x11C3)  # that such a syllable can end with
_JAMO = [*range(0x3131, 0x318F), *range(0xFFA1, 0xFFDD)]  # the same for keyboards


def normaliser(charsmap: bytes) -> dict[str, Any]:
    """For text without lone surrogates, what SentencePiece makes of it with these compiled rules."""
    return {
        "type": "Sequence",
        "normalizers": [
            _replace(_ASIDE, _BREAK),
            _replace(_KEPT, _ASIDE),
            _replace_all(uncomposed(), _BREAK),
            {"type": "NFKC"},
            _replace(_ASIDE, _KEPT),
            {"type": "Precompiled", "precompiled_charsmap": base64.b64encode(charsmap).decode()},
            # Not `Strip`, to which U+0085 is a space.
            _replace_all(r"\A +", ""),
            _replace_all(r" +\z", ""),
            _replace_all(" {2,}", " "),
        ],
    }


def _replace(old: str, new: str) -> dict[str, Any]:
    return {"type": "Replace", "pattern": {"String": old}, "content": new}


def _replace_all(expression: str, new: str) -> dict[str, Any]:
    return {"type": "Replace", "pattern": {"Regex": expression}, "content": new}


@cache
def uncomposed() -> str:
    """The places before marks, unless they and their letter make one character; a syllable takes no final any more.

    Nothing may be put in at a text's beginning, or NFKC fails.
    """
    forms = {character: unicodedata.normalize("NFKD", character) for character in map(chr, range(_LAST_PLANE))}
    finals = [*_FINALS, *(each for each in _JAMO if ord(forms[chr(each)][0]) in _FINALS)]
    syllables = _class(map(chr, _SYLLABLES))
    return rf"(?!\A)(?:(?=[{_CONTINUING}])(?!{_composed(forms)})|(?=[{_class(map(chr, finals))}])(?<=[{syllables}]))"


def _composed(forms: dict[str, str]) -> str:
    """A mark, after its letter and perhaps other marks, where all of them make one character."""
    alike: dict[str, set[str]] = defaultdict(set)  # U+0341 is U+0301
    for character, form in forms.items():
        alike[form].add(character)
    letters: dict[str, set[str]] = defaultdict(set)
    for character in forms.keys() - set(map(chr, _SYLLABLES)):
        parts = unicodedata.normalize("NFD", character)
        if unicodedata.normalize("NFC", character) == character:
            for end in range(2, len(parts) + 1):
                letters[parts[1:end]] |= alike[parts[0]]
    alternatives = []
    for marks, before in sorted(letters.items()):
        *earlier, last = (f"[{_class(alike[mark])}]" for mark in marks)
        alternatives.append(f"(?<=[{_class(before)}]{''.join(earlier)}){last}")
    return "|".join(alternatives)


def _class(characters: Iterable[str]) -> str:
    """As ranges inside the brackets of a regular expression."""
    ranges: list[list[int]] = []
    for point in sorted(map(ord, characters)):
        if ranges and point == ranges[-1][1] + 1:
            ranges[-1][1] = point
        else:
            ranges.append([point, point])
    return "".join(rf"\x{{{first:X}}}-\x{{{last:X}}}" for first, last in ranges)
