"""Figure 1's picture: languages by what English learnt beside them, in two clusters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..evaluation.correlation import spearman
from .drawing import GREY, INK, new_figure, require_some, save_figure
from .labels import place_labels
from .languages import FEWEST
from .overlap import LOW_OVERLAP

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


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


def language_scatter(points: Sequence[LanguagePoint], out: Path) -> list[Path]:
    """Figure 1 of the paper: scores against piece overlap and against distance from English, in two clusters."""
    require_some(points)
    low = [point for point in points if point.overlap <= LOW_OVERLAP]
    high = [point for point in points if point.overlap > LOW_OVERLAP]
    clusters = (
        _Cluster(f"overlap ≤ {LOW_OVERLAP}", {"marker": "o", "facecolor": "white", "s": 16}, low),
        _Cluster(f"overlap > {LOW_OVERLAP}", {"marker": "^", "facecolor": INK, "s": 18}, high),
    )
    with new_figure(8, 4.5) as figure:
        left, right = figure.subplots(1, 2, sharey=True)
        panels = {left: _by_overlap(clusters), right: _by_distance(clusters)}
        left.set_ylabel("STS 2012–2016, mean Pearson’s r × 100")
        left.set_xlabel("share of English pieces that the other language has, too")
        left.axvline(LOW_OVERLAP, color=GREY, linewidth=0.7, linestyle=(0, (5, 4)), zorder=0)
        right.set_xlabel("featural distance from English (URIEL)")
        for axes, shown in panels.items():
            _draw_clusters(axes, shown)
        figure.legend(*left.get_legend_handles_labels(), loc="outside lower center", ncols=2, frameon=False)
        figure.draw_without_rendering()  # settles where things are, which labels must know
        for axes, shown in panels.items():
            _write_names(figure, axes, [place for _, places in shown for place in places])
        return save_figure(figure, out)


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
        axes.scatter(x, y, edgecolor=INK, linewidth=0.7, label=cluster.name, **cluster.style)
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
    texts = [axes.text(0, 0, each.language, fontsize=6.5, color=INK, ha="center", va="center") for each in places]
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
            axes.plot(*ends.T, color=GREY, linewidth=0.4, zorder=0, scalex=False, scaley=False)
