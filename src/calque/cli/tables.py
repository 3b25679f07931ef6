"""Tables for people: as wide as the terminal, a row a line in a pipe."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from ..surrogates import without_surrogates
from .visible import harmless

_ENDLESS = 100_000  # columns: a pipe has no width to keep to


def show_table(
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    numbers_from: int = 1,
    bold_from: int | None = None,
    title: str = "",
    notes: Sequence[str] = (),
) -> None:
    """Columns from `numbers_from` on are figures, and never cut; rows from `bold_from` on stand out."""
    from rich.console import Console
    from rich.table import Table

    # Names of files and models are text, whatever they look like.
    console = Console(width=None if sys.stdout.isatty() else _ENDLESS, highlight=False, markup=False, emoji=False)
    shown = Table(box=None, pad_edge=False, header_style="bold")
    for place, name in enumerate(header):
        number = place >= numbers_from
        longest_word = max((len(word) for row in rows for word in row[place].split()), default=0)
        shown.add_column(
            _shown(name),
            justify="right" if number else "left",
            overflow="fold",
            min_width=longest_word if number else None,
        )
    for place, row in enumerate(rows):
        if place == bold_from:
            shown.add_section()
        bold = bold_from is not None and place >= bold_from
        shown.add_row(*map(_shown, row), style="bold" if bold else None)
    if title:
        console.print(title, style="bold")
    console.print(shown, crop=False)
    for note in notes:
        console.print(_shown(note), style="dim", soft_wrap=True)


def _shown(text: str) -> str:
    return harmless(without_surrogates(text))
