"""What each character is, as tables for the kernel: letter or digit, its script, its small counterpart."""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

_HAN_PLANES = 0x20000
_HAN_END = 0x32000
_SIZE = 0x110000
_OTHER, _LETTER, _DIGIT, _SPACE, _CONTROL, _HIDDEN = range(6)  # as in kernel/measure.hpp
_CLASSES = {
    **{"L": _LETTER, "M": _LETTER, "Nd": _DIGIT, "Z": _SPACE},
    **{"Cc": _CONTROL, "Co": _CONTROL, "Cs": _CONTROL, "Cf": _HIDDEN},
}
_SCRIPT_SHIFT, _DIGIT_SHIFT, _TAIL = 3, 9, 1 << 8

# Blocks of Unicode that hold the letters of a script; marks that join any script count for all.
_RANGES = {
    "Zinh": [(0x300, 0x370), (0x1AB0, 0x1B00), (0x1DC0, 0x1E00), (0x20D0, 0x2100), (0xFE20, 0xFE30)],
    "Latn": [
        *((0x41, 0x5B), (0x61, 0x7B), (0xAA, 0xAB), (0xBA, 0xBB), (0xC0, 0x2B0), (0x1D00, 0x1DC0), (0x1E00, 0x1F00)),
        *((0x2071, 0x20A0), (0x2C60, 0x2C80), (0xA720, 0xA800), (0xAB30, 0xAB70), (0xFB00, 0xFB07), (0xFF21, 0xFF5B)),
    ],
    "Grek": [(0x370, 0x400), (0x1F00, 0x2000)],
    "Cyrl": [(0x400, 0x530), (0x1C80, 0x1C90), (0x2DE0, 0x2E00), (0xA640, 0xA6A0)],
    "Armn": [(0x530, 0x590), (0xFB13, 0xFB18)],
    "Hebr": [(0x590, 0x600), (0xFB1D, 0xFB50)],
    "Arab": [(0x600, 0x700), (0x750, 0x780), (0x870, 0x900), (0xFB50, 0xFE00), (0xFE70, 0xFF00)],
    "Thaa": [(0x780, 0x7C0)],
    "Deva": [(0x900, 0x980), (0xA8E0, 0xA900)],
    "Beng": [(0x980, 0xA00)],
    "Guru": [(0xA00, 0xA80)],
    "Gujr": [(0xA80, 0xB00)],
    "Orya": [(0xB00, 0xB80)],
    "Taml": [(0xB80, 0xC00)],
    "Telu": [(0xC00, 0xC80)],
    "Knda": [(0xC80, 0xD00)],
    "Mlym": [(0xD00, 0xD80)],
    "Sinh": [(0xD80, 0xE00)],
    "Thai": [(0xE00, 0xE80)],
    "Laoo": [(0xE80, 0xF00)],
    "Tibt": [(0xF00, 0x1000)],
    "Mymr": [(0x1000, 0x10A0), (0xA9E0, 0xAA00), (0xAA60, 0xAA80)],
    "Geor": [(0x10A0, 0x1100), (0x1C90, 0x1CC0), (0x2D00, 0x2D30)],
    "Hang": [(0x1100, 0x1200), (0x3130, 0x3190), (0xA960, 0xA980), (0xAC00, 0xD800), (0xFFA0, 0xFFE0)],
    "Ethi": [(0x1200, 0x13A0), (0x2D80, 0x2DE0), (0xAB00, 0xAB30)],
    "Cher": [(0x13A0, 0x1400), (0xAB70, 0xABC0)],
    "Khmr": [(0x1780, 0x1800)],
    "Mong": [(0x1800, 0x18B0)],
    "Tfng": [(0x2D30, 0x2D80)],
    "Kana": [(0x3040, 0x3100), (0x31F0, 0x3200), (0xFF66, 0xFFA0)],
    "Hani": [
        (0x2E80, 0x2FE0),
        (0x3005, 0x3008),
        (0x3400, 0x4DC0),
        (0x4E00, 0xA000),
        (0xF900, 0xFB00),
        (_HAN_PLANES, _HAN_END),
    ],
}
_NUMBERS = {script: number for number, script in enumerate(_RANGES, start=1)}
_MADE_OF = {
    "Jpan": ("Kana", "Hani"),
    "Kore": ("Hang", "Hani"),
    "Hans": ("Hani",),
    "Hant": ("Hani",),
    "Hira": ("Kana",),
    "Bopo": ("Hani",),
}
# Windows-1252's characters for the bytes 0x80 to 0xBF: what the tail of a UTF-8 character turns into.
_TAILS = [ord(bytes([byte]).decode("cp1252", "replace")) for byte in range(0x80, 0xC0)]


class Tables(NamedTuple):
    kinds: npt.NDArray[np.uint16]
    small: npt.NDArray[np.uint32]


@lru_cache(maxsize=1)
def tables() -> Tables:
    characters = [chr(point) for point in range(_HAN_PLANES)]
    kinds = np.full(_SIZE, _OTHER, dtype=np.uint16)
    kinds[:_HAN_PLANES] = [_class(unicodedata.category(character)) for character in characters]
    kinds[[0x9, 0xA, 0xB, 0xC, 0xD, 0x85]] = _SPACE
    kinds[0xFFFD] = _CONTROL
    kinds[_HAN_PLANES:_HAN_END] = _LETTER
    kinds[0xE0000:0xE1000] = _HIDDEN  # tags and more variation selectors
    kinds[0xF0000:] = _CONTROL  # private
    kinds[0xFE00:0xFE10] = _HIDDEN  # variation selectors: marks, but of emoji as of letters
    for script, ranges in _RANGES.items():
        for begin, end in ranges:
            kinds[begin:end] |= _NUMBERS[script] << _SCRIPT_SHIFT
    for point in np.flatnonzero((kinds & 7) == _DIGIT):
        kinds[point] |= unicodedata.digit(characters[point], 0) << _DIGIT_SHIFT
    kinds[[point for point in _TAILS if point != 0xFFFD] + list(range(0x80, 0xA0))] |= _TAIL
    small = np.arange(_SIZE, dtype=np.uint32)
    small[:_HAN_PLANES] = [ord(low) if len(low := each.lower()) == 1 else ord(each) for each in characters]
    return Tables(kinds, small)


def script_bits(script: str | None) -> int:
    """The kernel's bits for a script as ISO 15924 calls it; 0 if it is not known here."""
    made_of = _MADE_OF.get(script or "", (script or "",))
    bits = sum(1 << _NUMBERS[each] for each in made_of if each in _NUMBERS)
    return bits | 1 << _NUMBERS["Zinh"] if bits else 0


WIDE = sum(1 << _NUMBERS[script] for script in ("Hani", "Kana", "Hang"))


def _class(category: str) -> int:
    return _CLASSES.get(category, _CLASSES.get(category[0], _OTHER))
