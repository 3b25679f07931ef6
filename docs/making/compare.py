"""Whether what a command printed is what its page shows.

`…` stands for anything, on a line of its own for any number of lines. Decimal fractions may differ a little, as they do
from machine to machine, and columns may be wider.
"""

from __future__ import annotations

import re
from itertools import zip_longest

_DECIMAL = r"-?\d+\.\d+"
_SPREAD = 0.02  # of a fraction, absolute or of its own size


def agrees(shown: str, printed: str) -> bool:
    """
    >>> agrees("0.938", "0.94"), agrees("0.938", "0.1"), agrees("took …", "took 3 s"), agrees("a\\n…\\nz", "a\\nb\\nz")
    (True, False, True, True)
    """
    return _agree(_lines(shown), _lines(printed))


def _lines(text: str) -> list[str]:
    return [" ".join(line.split()) for line in text.strip().splitlines()]


def _agree(shown: list[str], printed: list[str]) -> bool:
    for at, (expected, line) in enumerate(zip_longest(shown, printed)):
        if expected == "…":
            rest = shown[at + 1 :]
            return any(_agree(rest, printed[skipped:]) for skipped in range(at, len(printed) + 1))
        if expected is None or line is None or not _alike(expected, line):
            return False
    return True


def _alike(expected: str, line: str) -> bool:
    pattern = "".join(
        ".*?" if part == "…" else f"({_DECIMAL})" if re.fullmatch(_DECIMAL, part) else re.escape(part)
        for part in re.split(rf"({_DECIMAL}|…)", expected)
    )
    found = re.fullmatch(pattern, line)
    if not found:
        return False
    wanted = [float(part) for part in re.findall(_DECIMAL, expected)]
    got = [float(part) for part in found.groups()]
    return all(abs(one - other) <= _SPREAD * max(1, abs(one)) for one, other in zip(wanted, got, strict=True))
