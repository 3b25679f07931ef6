"""Fonts for text in any script."""

from __future__ import annotations

from collections.abc import Iterable

from ..extras import require

FIRST = "DejaVu Sans"  # comes with matplotlib, and knows Latin, Greek, Cyrillic, Arabic, Hebrew and more
_PLACEHOLDERS = "Last Resort"  # fonts that draw a box for every character there is


def families_for(texts: Iterable[str]) -> list[str]:
    """Font families that between them have the characters of some texts, as far as any installed font does."""
    manager = require("matplotlib.font_manager", "plot", "drawing")
    # U+0020 and below are no glyphs; joiners and variation selectors are drawn by nobody.
    missing = {ord(each) for text in texts for each in text if each.isprintable() and not each.isspace()}
    missing -= _characters(manager.findfont(FIRST))
    families = [FIRST]
    for entry in sorted(manager.fontManager.ttflist, key=lambda entry: ("Sans" not in entry.name, entry.name)):
        if not missing:
            break
        if entry.name in families or entry.style != "normal" or _PLACEHOLDERS in entry.name:
            continue
        if found := missing & _characters(entry.fname):
            families.append(entry.name)
            missing -= found
    return families


def _characters(path: str) -> set[int]:
    return set(require("matplotlib.font_manager", "plot", "drawing").get_font(path).get_charmap())
