"""An explanation as a heat map, with what each word adds along the edges."""

from __future__ import annotations

import unicodedata
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import UsageError
from ..extras import require
from ..pictures import picture
from .contributions import Explanation, Numbers, Part
from .fonts import families_for

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_PARTS = 120  # of a text: more cannot be read
_LONGEST = 22  # characters of a label
_MOST_WRITTEN = 9  # columns up to which there is room to write the numbers into cells
_BARS = 0.9  # inches
_RED, _WHITE, _BLUE = "#c8374a", "#f7f8fa", "#155a93"
_INK, _GREY = "#1c2833", "#a3acba"


def plot_explanation(shown: Explanation, path: str | Path) -> None:
    """Rows are the first text's parts, columns the second's; blue adds to the similarity, red takes away.

    Characters that no installed font has are drawn as boxes, except in an SVG, whose text its reader draws.

    Raises:
        UsageError: there is nothing to draw, or too much.
    """
    _require_readable(shown)
    labels = [[_label(part.text) for part in parts] for parts in (shown.first, shown.second)]
    families = families_for(labels[0] + labels[1])
    rows, columns = len(labels[0]), len(labels[1])
    cell = 0.62 if columns <= _MOST_WRITTEN else 0.3 if max(rows, columns) <= 30 else 0.24
    height = 0.34 if columns <= _MOST_WRITTEN else cell
    margins = [_length(side) for side in labels]
    size = (columns * cell + margins[0] + _BARS + 0.4, rows * height + 0.8 * margins[1] + _BARS + 0.5)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing")
        with picture(path, max(size[0], 3.6), max(size[1], 2.6)) as figure:
            grid = figure.add_gridspec(
                2, 2, width_ratios=(columns * cell, _BARS), height_ratios=(rows * height, 0.7 * _BARS)
            )
            main = figure.add_subplot(grid[0, 0])
            right, below = (figure.add_subplot(place) for place in (grid[0, 1], grid[1, 0]))
            _draw_cells(main, shown)
            _write_labels(main, labels, (shown.first, shown.second), families)
            _draw_bars(right, shown.first_totals, upright=False)
            _draw_bars(below, shown.second_totals, upright=True)
            for axes, name in ((right, "adds in all"), (below, "adds in all")):
                axes.set_title(name, fontsize=7, color=_GREY, loc="left", pad=3)
            figure.suptitle(f"similarity {shown.score:.3f}", x=0.01, ha="left", fontsize=11, color=_INK)


def _require_readable(shown: Explanation) -> None:
    if shown.empty:
        raise UsageError(
            "there is nothing to draw: a text has no piece that the model knows",
            hint="was it trained on the text's language? `calque info` tells",
        )
    longest = max(len(shown.first), len(shown.second))
    if longest > MOST_PARTS:
        raise UsageError(
            f"a picture of {longest} rows or columns cannot be read, at most {MOST_PARTS}",
            hint="take single sentences, or add up the pieces of words",
        )


def _draw_cells(axes: Axes, shown: Explanation) -> None:
    colours = require("matplotlib.colors", "plot", "drawing")
    values = shown.contributions
    most = float(np.abs(values).max()) or 1.0
    scale = colours.LinearSegmentedColormap.from_list("contributions", [_RED, _WHITE, _BLUE])
    axes.pcolormesh(values, cmap=scale, vmin=-most, vmax=most, edgecolors="white", linewidth=1)
    axes.set(xlim=(0, values.shape[1]), ylim=(values.shape[0], 0))
    axes.spines[:].set_visible(False)
    if values.shape[1] > _MOST_WRITTEN:
        return
    for (row, column), value in np.ndenumerate(values):
        colour = "white" if abs(value) > 0.6 * most else _INK
        axes.text(column + 0.5, row + 0.5, _number(value), ha="center", va="center", fontsize=7, color=colour)


def _write_labels(
    axes: Axes, labels: Sequence[Sequence[str]], parts: Sequence[Sequence[Part]], families: Sequence[str]
) -> None:
    """The first text's down the left side, the second's along the top; what is unknown is grey."""
    places = [np.arange(len(side)) + 0.5 for side in labels]
    shared: dict[str, Any] = {"fontfamily": list(families), "fontsize": 9 if len(labels[1]) <= 30 else 8}
    axes.tick_params(length=0, top=True, labeltop=True, bottom=False, labelbottom=False, pad=2)
    axes.set_yticks(places[0], labels[0], parse_math=False, **shared)
    turned = _length(labels[1]) > 0.55 if len(labels[1]) <= _MOST_WRITTEN else True
    slant: dict[str, Any] = {"rotation": 50, "ha": "left", "rotation_mode": "anchor"} if turned else {}
    axes.set_xticks(places[1], labels[1], parse_math=False, **shared, **slant)
    for ticks, side in ((axes.get_yticklabels(), parts[0]), (axes.get_xticklabels(), parts[1])):
        for tick, part in zip(ticks, side, strict=True):
            tick.set_color(_INK if part.known else _GREY)


def _draw_bars(axes: Axes, totals: Numbers, upright: bool) -> None:
    places = np.arange(len(totals)) + 0.5
    colours = [_BLUE if total >= 0 else _RED for total in totals]
    draw = axes.bar if upright else axes.barh
    draw(places, totals, 0.7, color=colours)
    axes.spines[:].set_visible(False)
    (axes.axhline if upright else axes.axvline)(0, color=_GREY, linewidth=0.7)
    along, across = (axes.xaxis, axes.yaxis) if upright else (axes.yaxis, axes.xaxis)
    along.set_ticks([])
    across.set_ticks([0, round(float(totals.max()), 2)] if totals.max() >= 0.01 else [0])
    axes.tick_params(labelsize=7, length=0, colors=_GREY, pad=2)
    limits = (0, len(totals)) if upright else (len(totals), 0)
    axes.set(xlim=limits) if upright else axes.set(ylim=limits)


def _label(text: str) -> str:
    plain = "".join(each if each.isprintable() else "\ufffd" for each in " ".join(text.split()))
    return plain if len(plain) <= _LONGEST else f"{plain[: _LONGEST - 1]}…"


def _length(labels: Sequence[str]) -> float:
    """Inches that the longest label takes, roughly; a Han character is as wide as two letters."""
    widths = (sum(2 if unicodedata.east_asian_width(each) in "WF" else 1 for each in label) for label in labels)
    return 0.088 * max(widths, default=0)


def _number(value: float) -> str:
    """
    >>> _number(-0.0123)
    '−.01'
    """
    text = f"{abs(value):.2f}"
    return "0" if text == "0.00" else f"{'−' if value < 0 else ''}{text.removeprefix('0')}"
