"""Plots as PNG and SVG that can be read in black and white; the same numbers give the same SVG."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..atomic import writing
from ..errors import UsageError
from ..evaluation.correlation import spearman
from ..extras import require
from .labels import place_labels
from .languages import LOW_OVERLAP

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FEWEST = 3  # languages that a correlation is worth printing for

_STYLE = {
    "font.family": "DejaVu Sans",
    "font.size": 8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "hatch.linewidth": 0.6,
    "svg.fonttype": "none",  # text stays text
    "svg.hashsalt": "calque",
}
_INK, _GREY = "#1c2833", "#7f8c8d"
_DOTS_PER_INCH = 200
_FILLS: Sequence[dict[str, Any]] = (
    {"facecolor": "white"},
    {"facecolor": "#d5d8dc", "hatch": "////"},
    {"facecolor": "#7f8c8d"},
    {"facecolor": "#d5d8dc", "hatch": "...."},
    {"facecolor": _INK},
)
_DIAMOND: dict[str, Any] = {"marker": "D", "s": 20, "facecolor": "black", "edgecolor": "white"}


@dataclass(frozen=True)
class LanguagePoint:
    """A language that English was trained with."""

    language: str
    score: float  # mean of STS 2012–2016
    overlap: float  # of English pieces with its own
    distance: float | None  # from English; None if that is not known


@dataclass(frozen=True)
class _Cluster:
    name: str
    style: dict[str, Any]
    points: list[LanguagePoint]


def language_scatter(points: Sequence[LanguagePoint], out: Path, distance: str = "featural") -> list[Path]:
    """Figure 1 of the paper: scores against piece overlap and against distance from English, in two clusters.

    The files written are `out` with .png and .svg added, as for all plots here.
    """
    _require_some(points)
    low = [point for point in points if point.overlap <= LOW_OVERLAP]
    high = [point for point in points if point.overlap > LOW_OVERLAP]
    clusters = (
        _Cluster(f"overlap ≤ {LOW_OVERLAP}", {"marker": "o", "facecolor": "white", "s": 16}, low),
        _Cluster(f"overlap > {LOW_OVERLAP}", {"marker": "^", "facecolor": _INK, "s": 18}, high),
    )
    with _figure(8, 4.5) as figure:
        left, right = figure.subplots(1, 2, sharey=True)
        panels = {left: _by_overlap(clusters), right: _by_distance(clusters)}
        left.set_ylabel("STS 2012–2016, mean Pearson’s r × 100")
        left.set_xlabel("share of English pieces that the other language has, too")
        left.axvline(LOW_OVERLAP, color=_GREY, linewidth=0.7, linestyle=(0, (5, 4)), zorder=0)
        right.set_xlabel(f"{distance} distance from English (URIEL)")
        for axes, shown in panels.items():
            _draw_clusters(axes, shown)
        figure.legend(*left.get_legend_handles_labels(), loc="outside lower center", ncols=2, frameon=False)
        figure.draw_without_rendering()  # settles where things are, which labels must know
        for axes, shown in panels.items():
            _write_names(figure, axes, [place for _, places in shown for place in places])
        return _save(figure, out)


class _Place(NamedTuple):
    language: str
    x: float
    y: float


_Shown = list[tuple[_Cluster, list[_Place]]]


def _by_overlap(clusters: Sequence[_Cluster]) -> _Shown:
    return [(each, [_Place(point.language, point.overlap, point.score) for point in each.points]) for each in clusters]


def _by_distance(clusters: Sequence[_Cluster]) -> _Shown:
    return [
        (
            each,
            [
                _Place(point.language, point.distance, point.score)
                for point in each.points
                if point.distance is not None
            ],
        )
        for each in clusters
    ]


def _draw_clusters(axes: Axes, shown: _Shown) -> None:
    for cluster, places in shown:
        x, y = [place.x for place in places], [place.y for place in places]
        axes.scatter(x, y, edgecolor=_INK, linewidth=0.7, label=cluster.name, **cluster.style)
    axes.margins(0.07)
    axes.tick_params(labelleft=True)
    parts = [("all", [place for _, places in shown for place in places])]
    parts += [(cluster.name.removeprefix("overlap "), places) for cluster, places in shown]
    told = "    ".join(f"{name}: {_correlation(places)}" for name, places in parts)
    axes.set_title(f"Spearman’s ρ × 100    {told}", fontsize=8, loc="left")


def _correlation(places: Sequence[_Place]) -> str:
    if len(places) < FEWEST:
        return "–"
    value = spearman([place.x for place in places], [place.y for place in places])
    return f"{100 * value:.1f}".replace("-", "−")


def _write_names(figure: Figure, axes: Axes, places: Sequence[_Place]) -> None:
    texts = [axes.text(0, 0, each.language, fontsize=6.5, color=_INK, ha="center", va="center") for each in places]
    extents = [text.get_window_extent() for text in texts]
    points = axes.transData.transform(np.array([(place.x, place.y) for place in places]).reshape(-1, 2))
    frame = axes.get_window_extent()
    sizes = [(extent.width, 0.8 * extent.height) for extent in extents]  # the height leaves room for accents
    gap = 3.2 * figure.dpi / 72
    middles = place_labels(points, sizes, gap, (frame.x0, frame.y0, frame.x1, frame.y1))
    inverse = axes.transData.inverted()
    for text, size, point, middle in zip(texts, sizes, points, middles, strict=True):
        text.set_position(tuple(inverse.transform(middle)))
        text.set_in_layout(False)
        reach = np.clip(point, middle - np.array(size) / 2, middle + np.array(size) / 2)  # the label's nearest spot
        if np.linalg.norm(reach - point) > 2 * gap:
            ends = inverse.transform(np.stack([point, reach]))
            axes.plot(*ends.T, color=_GREY, linewidth=0.4, zorder=0, scalex=False, scaley=False)


def speed_bars(rates: Mapping[str, float], out: Path, title: str, ours: Collection[str] = ()) -> list[Path]:
    """Sentences a second, from top to bottom in the order given, on a logarithmic axis; `ours` are solid."""
    _require_some(rates)
    if worst := [name for name, rate in rates.items() if not (rate > 0 and math.isfinite(rate))]:
        raise UsageError(f"{worst[0]}: expected a rate above 0, got {rates[worst[0]]}")
    with _figure(6.5, 0.9 + 0.32 * len(rates)) as figure:
        axes = figure.subplots()
        bars = axes.barh(list(rates), list(rates.values()), height=0.62, edgecolor=_INK, linewidth=0.7)
        for bar, name in zip(bars, rates, strict=True):
            bar.set(**_FILLS[2 if name in ours else 0])
        axes.bar_label(bars, [f"{rate:,.0f}" if rate >= 10 else f"{rate:.2g}" for rate in rates.values()], padding=4)
        axes.set_xscale("log")
        axes.xaxis.set_minor_formatter("")  # a short axis would name every tick
        axes.set_xlim(10 ** math.floor(math.log10(min(rates.values())) - 0.3), max(rates.values()) * 12)
        axes.invert_yaxis()
        axes.tick_params(axis="y", length=0)
        axes.set_xlabel("sentences a second (logarithmic)")
        axes.set_title(title, loc="left")
        return _save(figure, out)


def grouped_bars(
    groups: Mapping[str, Mapping[str, float]],
    out: Path,
    ylabel: str,
    published: Mapping[str, Mapping[str, float]] | None = None,
) -> list[Path]:
    """Bars side by side in each group, with what was published of the same name as diamonds.

    The axis begins below the least value, and not at 0: scores that differ by a point should look different.
    """
    _require_some(_values(groups))
    series = list(dict.fromkeys(name for group in groups.values() for name in group))
    width = 0.84 / len(series)
    with _figure(6.5, 3.6) as figure:
        axes = figure.subplots()
        handles: list[Any] = []
        for at, name in enumerate(series):
            offset = (at - (len(series) - 1) / 2) * width
            ours, theirs = (_bars_of(name, list(groups), table, offset) for table in (groups, published or {}))
            style = _FILLS[at % len(_FILLS)]
            handles += [axes.bar(list(ours), list(ours.values()), width, edgecolor=_INK, linewidth=0.7, **style)]
            diamonds = axes.scatter(list(theirs), list(theirs.values()), zorder=3, **_DIAMOND)
            _write_values(axes, ours)
        axes.set_xticks(range(len(groups)), list(groups))
        axes.tick_params(axis="x", length=0)
        axes.set_ylim(*_range([value for table in (groups, published or {}) for value in _values(table)]))
        axes.set_ylabel(ylabel)
        named = [*zip(handles, series, strict=True), *([(diamonds, "published")] if published else [])]
        figure.legend(*zip(*named, strict=True), loc="outside lower center", ncols=len(named), frameon=False)
        return _save(figure, out)


def _bars_of(
    name: str, groups: Sequence[str], table: Mapping[str, Mapping[str, float]], offset: float
) -> dict[float, float]:
    """Heights by where they stand."""
    return {at + offset: table[group][name] for at, group in enumerate(groups) if name in table.get(group, {})}


def _write_values(axes: Axes, bars: Mapping[float, float]) -> None:
    """At the foot of bars, where no diamond is in the way."""
    box = {"boxstyle": "round,pad=0.2", "facecolor": "white", "edgecolor": "none"}
    foot = axes.get_xaxis_transform()
    for at, value in bars.items():
        axes.text(at, 0.03, f"{value:.1f}", transform=foot, fontsize=7, ha="center", va="bottom", bbox=box)


def _values(table: Mapping[str, Mapping[str, float]]) -> list[float]:
    return [value for group in table.values() for value in group.values()]


def _range(values: Sequence[float]) -> tuple[float, float]:
    lowest, highest = min(values), max(values)
    spread = highest - lowest
    return 5 * math.floor((lowest - 0.3 * spread - 1) / 5), highest + 0.1 * spread + 0.5


def _require_some(values: Any) -> None:
    if not values:
        raise UsageError("there is nothing to draw")


@contextmanager
def _figure(width: float, height: float) -> Iterator[Figure]:
    """A figure of so many inches that belongs to nobody else: not to pyplot, nor to a window."""
    matplotlib = require("matplotlib", "plot", "drawing")
    made = require("matplotlib.figure", "plot", "drawing").Figure
    canvas = require("matplotlib.backends.backend_agg", "plot", "drawing").FigureCanvasAgg
    with matplotlib.rc_context(_STYLE):
        figure = made(figsize=(width, height), dpi=_DOTS_PER_INCH, layout="constrained")
        canvas(figure)
        yield figure


def _save(figure: Figure, out: Path) -> list[Path]:
    paths = [out.with_name(f"{out.name}.{ending}") for ending in ("png", "svg")]
    for path in paths:
        ending = path.suffix[1:]
        with writing(path) as file:
            figure.savefig(file, format=ending, metadata={"Date": None, "Creator": None} if ending == "svg" else None)
    return paths
