"""Text that goes into a line for people."""

from __future__ import annotations

from collections.abc import Sequence


def visible(text: str) -> str:
    """On one line, with what a terminal would act on made visible."""
    return "".join(each if each.isprintable() else "\ufffd" for each in " ".join(text.split()))


def shortened(text: str, most: int = 60) -> str:
    """As visible, cut off after so many characters."""
    plain = visible(text)
    return plain if len(plain) <= most else f"{plain[: most - 1]}…"


def on_one_line(texts: Sequence[str]) -> str:
    return " ⇥ ".join(map(shortened, texts))
