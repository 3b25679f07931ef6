"""Text that goes into a line for people, or to a terminal."""

from __future__ import annotations

import sys
from collections.abc import Sequence

_ACTED_ON = {code: "\ufffd" for code in (*range(0x20), *range(0x7F, 0xA0)) if chr(code) not in "\t\n"}


def harmless(text: str) -> str:
    """With what a terminal would act on made visible, but for tabs and line feeds."""
    return text.translate(_ACTED_ON)


def harmless_there(text: str) -> str:
    """As it is where a program reads standard output, harmless where a terminal does."""
    return harmless(text) if sys.stdout.isatty() else text


def visible(text: str) -> str:
    """On one line, with what a terminal would act on made visible."""
    return "".join(each if each.isprintable() else "\ufffd" for each in " ".join(text.split()))


def shortened(text: str, most: int = 60) -> str:
    """As visible, cut off after so many characters."""
    plain = visible(text)
    return plain if len(plain) <= most else f"{plain[: most - 1]}…"


def on_one_line(texts: Sequence[str]) -> str:
    return " ⇥ ".join(map(shortened, texts))
