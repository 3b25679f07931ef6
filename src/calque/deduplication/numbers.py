"""The numbers of a text, written so that the same number compares equal in any script and with any separator."""

from __future__ import annotations

import re

_MONEY = "$€£¥₹₽₩₺₴"
_COMPARISONS = "<>≤≥≠±"

# The search begins at a digit, so that it is quick; symbols are looked for around what it finds.
_NUMBER = re.compile(r"\d+(?:[.,'’٬٫]\d+|[\u00a0\u2009\u202f ]\d{3}(?!\d))*")
_THOUSANDS = re.compile(r"(\d{1,3}([.,'’٬\u00a0\u2009\u202f ])\d{3}(?:\2\d{3})*)(?:[.,٫](\d+))?")
_DECIMALS = re.compile(r"(\d+)[.,٫](\d+)")
_NOT_DIGITS = re.compile(r"\D+")
_SPACE = re.compile(r"\s")
# A hyphen inside "A-5" or "2-5" is no sign.
_BEFORE = re.compile(
    rf"([{_COMPARISONS}]\s?)?(?:(?:(?<![^\s(\[{{\"'={_COMPARISONS}])([-−]))?(?:([{_MONEY}])([-−]|\s)?)?)$"
)
_AROUND = 4  # characters before a number in which its symbols are
_SYMBOLS = frozenset(_COMPARISONS + _MONEY + "-−")
_AFTER = re.compile(rf"\s?([%‰°{_MONEY}])")


def numbers_of(text: str) -> str:
    """Return the numbers in their order, with signs, decimal marks, comparisons, per cent, degrees and currencies.

    >>> numbers_of("1,000 dogs at -1,5 °C"), numbers_of("1.000 Hunde bei −1.5°C")
    ('1000 -1.5°', '1000 -1.5°')
    >>> numbers_of("15"), numbers_of("1.5"), numbers_of("version 1.5.2")
    ('15', '1.5', '1 5 2')
    """
    found = []
    for number in _NUMBER.finditer(text):
        digits = number[0] if number[0].isdigit() else _value(number[0])
        sign, unit = _symbols(text, number.start(), number.end())
        found.append(sign + digits + unit)
    numbers = " ".join(found)
    if numbers.isascii():
        return numbers
    return "".join(str(int(each)) if each.isdecimal() else each for each in numbers)


def _value(number: str) -> str:
    """Drop separators of thousands; a comma or a point before anything else is a decimal mark.

    A date or a version has more parts, of any length, which are numbers of their own.
    """
    if whole := _THOUSANDS.fullmatch(number):
        return _NOT_DIGITS.sub("", whole[1]) + (f".{whole[3]}" if whole[3] else "")
    if decimal := _DECIMALS.fullmatch(number):
        return f"{decimal[1]}.{decimal[2]}"
    parts = _SPACE.split(number)
    return " ".join(map(_value, parts)) if len(parts) > 1 else _NOT_DIGITS.sub(" ", number)


def _symbols(text: str, begin: int, end: int) -> tuple[str, str]:
    """Return the signs before a number, and its unit, which may stand on either side."""
    sign = unit = ""
    before = text[max(begin - _AROUND, 0) : begin]
    if not _SYMBOLS.isdisjoint(before) and (found := _BEFORE.search(before)):
        sign = (found[1] or "").strip() + ("-" if found[2] or found[4] in ("-", "−") else "")
        unit = found[3] or ""
    after = _AFTER.match(text, end)
    return sign, unit + (after[1] if after else "")
