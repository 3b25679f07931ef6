"""Pictures in the format that a file's name says; the same numbers give the same bytes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from .atomic import writing
from .errors import UsageError
from .extras import require

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FORMATS = ("png", "svg", "pdf")

_STYLE = {
    "font.family": ["DejaVu Sans", "sans-serif"],  # the second for readers of an SVG who have not the first
    "axes.spines.top": False,
    "axes.spines.right": False,
    "svg.fonttype": "none",  # text stays text
    "svg.hashsalt": "calque",
}


def require_pictures(path: str | Path) -> None:
    """To be asked before long work whose result is to be drawn.

    Raises:
        UsageError: a format that cannot be drawn, or matplotlib is missing.
    """
    ending = Path(path).suffix.lower().lstrip(".")
    if ending not in FORMATS:
        named = f"{ending!r}" if ending else "a name without ending"
        raise UsageError(f"{path}: cannot draw {named}", hint=f"the name should end in one of .{', .'.join(FORMATS)}")
    require("matplotlib", "plot", "drawing")


@contextmanager
def picture(path: str | Path, width: float, height: float) -> Iterator[Figure]:
    """A figure to draw into (inches), that is at `path` when the block ends well."""
    require_pictures(path)
    made = require("matplotlib.figure", "plot", "drawing").Figure
    ending = Path(path).suffix.lower().lstrip(".")
    dated = {"svg": "Date", "pdf": "CreationDate"}.get(ending)
    with require("matplotlib", "plot", "drawing").rc_context(_STYLE):
        figure = made(figsize=(width, height), layout="constrained")
        yield figure
        with writing(path) as file:
            figure.savefig(file, format=ending, dpi=150, metadata={dated: None} if dated else None)
