"""Figures as PNG and SVG that can be read in black and white; the same numbers give the same SVG."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..atomic import writing
from ..errors import UsageError
from ..extras import require

if TYPE_CHECKING:
    from matplotlib.figure import Figure

INK, GREY = "#1c2833", "#7f8c8d"

_STYLE = {
    "font.family": "DejaVu Sans",
    "font.size": 8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "hatch.linewidth": 0.6,
    "svg.fonttype": "none",  # text stays text
    "svg.hashsalt": "calque",
}
_DOTS_PER_INCH = 200


def require_some(values: Any) -> None:
    if not values:
        raise UsageError("there is nothing to draw")


@contextmanager
def new_figure(width: float, height: float) -> Iterator[Figure]:
    """A figure of so many inches that belongs to nobody else: not to pyplot, nor to a window."""
    matplotlib = require("matplotlib", "plot", "drawing")
    made = require("matplotlib.figure", "plot", "drawing").Figure
    canvas = require("matplotlib.backends.backend_agg", "plot", "drawing").FigureCanvasAgg
    with matplotlib.rc_context(_STYLE):
        figure = made(figsize=(width, height), dpi=_DOTS_PER_INCH, layout="constrained")
        canvas(figure)
        yield figure


def save_figure(figure: Figure, out: Path) -> list[Path]:
    """The files written: `out` with .png and .svg added."""
    paths = [out.with_name(f"{out.name}.{ending}") for ending in ("png", "svg")]
    for path in paths:
        ending = path.suffix[1:]
        with writing(path) as file:
            figure.savefig(file, format=ending, metadata={"Date": None, "Creator": None} if ending == "svg" else None)
    return paths
