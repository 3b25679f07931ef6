"""The numbers of a text, written so that the same number compares equal in any script and with any separator."""

from __future__ import annotations

import re

_MONEY = "$€£¥₹₽₩₺₴"
_COMPARISONS = "<>≤≥≠±"

# Thousands are groups of three digits with the same separator throughout. A date or a version has parts of any length.
# A comma or a point before anything else is a decimal mark. The symbols are those that change a value or its unit.
_NUMBER = re.compile(
    rf"(?P<comparison>[{_COMPARISONS}]\s?)?"
    rf"(?:(?<![^\s(\[{{\"'={_COMPARISONS}{_MONEY}])(?P<minus>[-−](?=[\d{_MONEY}])))?"
    rf"(?P<money>[{_MONEY}]\s?)?(?P<debit>(?<=[{_MONEY}])[-−])?"
    r"(?:(?P<thousands>\d{1,3}(?P<mark>[.,'’٬\u00a0\u2009\u202f ])\d{3}(?:(?P=mark)\d{3})*(?!\d)(?![.,]\d+[.,]\d))"
    r"|(?P<parts>\d+(?:[.,]\d+){2,})|(?P<whole>\d+))"
    r"(?:[.,٫](?P<decimals>\d+))?"
    rf"(?P<after>\s?[%‰°{_MONEY}])?"
)
_NOT_DIGITS = re.compile(r"\D+")


def numbers_of(text: str) -> str:
    """Return the numbers in their order, with signs, decimal marks, comparisons, per cent, degrees and currencies.

    >>> numbers_of("1,000 dogs at -1,5 °C"), numbers_of("1.000 Hunde bei −1.5°C")
    ('1000 -1.5°', '1000 -1.5°')
    >>> numbers_of("15"), numbers_of("1.5"), numbers_of("version 1.5.2")
    ('15', '1.5', '1 5 2')
    """
    return " ".join(map(_plain, _NUMBER.finditer(text)))


def _plain(found: re.Match[str]) -> str:
    sign = (found["comparison"] or "").strip() + ("-" if found["minus"] or found["debit"] else "")
    unit = (found["money"] or "").strip() + (found["after"] or "").strip()
    whole = _NOT_DIGITS.sub(" " if found["parts"] else "", found["thousands"] or found["parts"] or found["whole"])
    decimals = "." + found["decimals"] if found["decimals"] else ""
    return sign + _ascii(whole + decimals) + unit


def _ascii(digits: str) -> str:
    """Replace digits of any script."""
    return digits if digits.isascii() else "".join(str(int(each)) if each.isdigit() else each for each in digits)
