"""An explanation for people: the texts coloured by what their words add, then a table, or its strongest cells."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ..explanation import Explanation, Part
from .visible import visible

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

_WIDEST = 100  # columns of a table that is not for a terminal
_MOST_ROWS = 24
_LONGEST = 24  # columns for a word
_NUMBER = 6
# By how much of the largest amount a number is; ANSI colours, which every terminal shows in its own shade.
_STYLES = ((0.66, "bold reverse {}"), (0.33, "bold {}"), (0.1, "{}"))


def print_explanation(shown: Explanation, by: str, top: int) -> None:
    from rich.console import Console

    # A pipe has no width to keep to, and words are text, whatever they look like.
    console = Console(width=None if sys.stdout.isatty() else 100_000, highlight=False, markup=False, emoji=False)
    console.print(f"similarity {shown.score:.4f}", style="bold")
    if shown.empty:
        console.print(_nothing(shown))
        return
    console.print()
    _print_text(console, shown.first, shown.first_totals)
    _print_text(console, shown.second, shown.second_totals)
    console.print()
    if _fits(shown, min(console.width, _WIDEST) if not console.is_terminal else console.width):
        _print_table(console, shown)
    else:
        _print_strongest(console, shown, by, top)
    if shown.unknown:
        console.print(f"\nnot known to the model, and so left out: {visible(', '.join(shown.unknown))}", style="dim")


def _nothing(shown: Explanation) -> str:
    sides = [
        name
        for name, parts in (("first", shown.first), ("second", shown.second))
        if not any(part.known for part in parts)
    ]
    texts = "neither text has a" if len(sides) == 2 else f"the {sides[0]} text has no"
    return f"there is nothing to explain: {texts} piece that the model knows"


def _print_text(console: Console, parts: Sequence[Part], totals: npt.NDArray[np.float64]) -> None:
    """Parts of one word stand together."""
    from rich.text import Text

    line, largest = Text(), float(np.abs(totals).max())
    for at, (part, total) in enumerate(zip(parts, totals.tolist(), strict=True)):
        if at and part.word != parts[at - 1].word:
            line.append(" ")
        line.append(visible(part.text).lstrip("\u2581"), style=_style(total, largest) if part.known else "dim")
    console.print(line)


def _style(amount: float, largest: float) -> str:
    share = abs(amount) / largest if largest else 0.0
    colour = "green" if amount > 0 else "red"
    return next((style.format(colour) for least, style in _STYLES if share >= least), "")


def _number(amount: float, largest: float = 0.0) -> Text:
    from rich.text import Text

    text = f"{amount:.3f}"
    return Text(text.replace("-0.000", "0.000"), style=_style(amount, largest) if largest else "")


def _fits(shown: Explanation, width: int) -> bool:
    from rich.cells import cell_len

    labels = [min(cell_len(visible(part.text)), _LONGEST) for part in shown.first]
    columns = [max(min(cell_len(visible(part.text)), _LONGEST), _NUMBER) for part in shown.second]
    needed = max(labels) + sum(columns) + _NUMBER + 2 * (len(columns) + 1)
    return needed <= width and len(shown.first) <= _MOST_ROWS


def _print_table(console: Console, shown: Explanation) -> None:
    """Rows and columns with their sums."""
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("", max_width=_LONGEST, no_wrap=True, overflow="ellipsis")
    for part in shown.second:
        heading = Text(visible(part.text), style="bold" if part.known else "dim")
        table.add_column(heading, justify="right", min_width=_NUMBER, max_width=_LONGEST, no_wrap=True)
    table.add_column(Text("sum", style="dim"), justify="right", min_width=_NUMBER, no_wrap=True)
    cells, rows, columns = shown.contributions, shown.first_totals, shown.second_totals
    largest = float(np.abs(cells).max())
    for part, row, total in zip(shown.first, cells.tolist(), rows.tolist(), strict=True):
        name = Text(visible(part.text), style="bold" if part.known else "dim")
        table.add_row(name, *(_number(each, largest) for each in row), _number(total))
    table.add_row(Text("sum", style="dim"), *(_number(each) for each in columns.tolist()), _number(shown.score))
    console.print(table, crop=False)


def _print_strongest(console: Console, shown: Explanation, by: str, top: int) -> None:
    from rich.table import Table
    from rich.text import Text

    strongest = shown.strongest(top)
    largest = abs(strongest[0].contribution) if strongest else 0.0
    table = Table("pair", "", "adds", box=None, pad_edge=False, header_style="dim")
    table.columns[2].justify = "right"
    for first, second, amount in strongest:
        names = (Text(visible(part.text)) for part in (shown.first[first], shown.second[second]))
        table.add_row(*names, _number(amount, largest))
    rest = shown.contributions.size - len(strongest)
    others = shown.score - sum(pairing.contribution for pairing in strongest)
    table.add_row(Text(f"the other {rest:,} pairs", style="dim"), "", _number(others))
    table.add_row(Text("similarity", style="bold"), "", _number(shown.score))
    console.print(table)
    console.print()
    _print_totals(console, shown, by, top)


def _print_totals(console: Console, shown: Explanation, by: str, top: int) -> None:
    """The parts of both texts that add most, side by side."""
    from itertools import zip_longest

    from rich.table import Table
    from rich.text import Text

    sides = []
    for parts, totals in ((shown.first, shown.first_totals), (shown.second, shown.second_totals)):
        order = np.argsort(-np.abs(totals), kind="stable")[:top]
        largest = float(np.abs(totals).max())
        sides.append([(Text(visible(parts[at].text)), _number(float(totals[at]), largest)) for at in order])
    table = Table(f"{by} of the first", "adds", f"{by} of the second", "adds", box=None, pad_edge=False)
    table.header_style = "dim"
    table.columns[1].justify = table.columns[3].justify = "right"
    for one, two in zip_longest(*sides, fillvalue=(Text(), Text())):
        table.add_row(*one, *two)
    console.print(table)
