"""Bars beside each other: scores of tables, rates of encoding."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import UsageError
from .drawing import INK, new_figure, require_some, save_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_FILLS: Sequence[dict[str, Any]] = (
    {"facecolor": "white"},
    {"facecolor": "#d5d8dc", "hatch": "////"},
    {"facecolor": "#7f8c8d"},
    {"facecolor": "#d5d8dc", "hatch": "...."},
    {"facecolor": INK},
)
_DIAMOND: dict[str, Any] = {"marker": "D", "s": 20, "facecolor": "black", "edgecolor": "white"}


def speed_bars(rates: Mapping[str, float], out: Path, title: str, ours: Collection[str] = ()) -> list[Path]:
    """Sentences a second, from top to bottom in the order given, on a logarithmic axis; `ours` are solid."""
    require_some(rates)
    if worst := [name for name, rate in rates.items() if not (rate > 0 and math.isfinite(rate))]:
        raise UsageError(f"{worst[0]}: expected a rate above 0, got {rates[worst[0]]}")
    with new_figure(6.5, 0.9 + 0.32 * len(rates)) as figure:
        axes = figure.subplots()
        bars = axes.barh(list(rates), list(rates.values()), height=0.62, edgecolor=INK, linewidth=0.7)
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
        return save_figure(figure, out)


def grouped_bars(
    groups: Mapping[str, Mapping[str, float]],
    out: Path,
    ylabel: str,
    published: Mapping[str, Mapping[str, float]] | None = None,
) -> list[Path]:
    """Bars side by side in each group, with what was published of the same name as diamonds.

    The axis begins below the least value, and not at 0: scores that differ by a point should look different.
    """
    require_some(_values(groups))
    series = list(dict.fromkeys(name for group in groups.values() for name in group))
    width = 0.84 / len(series)
    with new_figure(6.5, 3.6) as figure:
        axes = figure.subplots()
        handles: list[Any] = []
        for at, name in enumerate(series):
            offset = (at - (len(series) - 1) / 2) * width
            ours, theirs = (_bars_of(name, list(groups), table, offset) for table in (groups, published or {}))
            style = _FILLS[at % len(_FILLS)]
            handles += [axes.bar(list(ours), list(ours.values()), width, edgecolor=INK, linewidth=0.7, **style)]
            diamonds = axes.scatter(list(theirs), list(theirs.values()), zorder=3, **_DIAMOND)
            _write_values(axes, ours)
        axes.set_xticks(range(len(groups)), list(groups))
        axes.tick_params(axis="x", length=0)
        axes.set_ylim(*_range([value for table in (groups, published or {}) for value in _values(table)]))
        axes.set_ylabel(ylabel)
        named = [*zip(handles, series, strict=True), *([(diamonds, "published")] if published else [])]
        figure.legend(*zip(*named, strict=True), loc="outside lower center", ncols=len(named), frameon=False)
        return save_figure(figure, out)


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
