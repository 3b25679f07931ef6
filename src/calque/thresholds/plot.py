"""A calibration as a picture: precision, recall and F1 over the threshold, and where the scores lie."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ..pictures import picture
from .calibration import Calibration
from .words import estimated_shares

_BINS = 80
_INK, _GREY = "#1c2833", "#8d99ae"


def plot_calibration(
    calibration: Calibration, scores: npt.NDArray[np.floating[Any]], path: str | Path, label: str
) -> None:
    """Draw what can be told, with its ranges; `label` names the scores: ratio margin, cosine."""
    best = calibration.best()
    choices = [calibration.at(float(threshold)) for threshold in calibration.threshold]
    precision, recall = (
        np.array([np.nan if share is None else share for share in shares], np.float64)
        for shares in ([choice.precision for choice in choices], [choice.recall for choice in choices])
    )
    with picture(path, 7, 5.2) as figure:
        curves, histogram = figure.subplots(2, 1, sharex=True, height_ratios=(2, 1))
        for name, values, colour, line in (
            ("precision", precision, "#1b6ca8", "--"),
            ("recall", recall, "#d1495b", "-."),
            ("F1", np.where(np.isnan(precision + recall), np.nan, calibration.f1), _INK, "-"),
        ):
            ranges = [getattr(choice, f"{name}_range", None) for choice in choices]
            low, high = (np.array([around[end] if around else np.nan for around in ranges]) for end in range(2))
            untold = " (cannot be estimated)" if np.isnan(values).all() and np.isnan(low).all() else ""
            curves.plot(calibration.threshold, values, line, label=f"{name}{untold}", color=colour)
            curves.fill_between(calibration.threshold, low, high, color=colour, alpha=0.15, linewidth=0)
        curves.set(ylabel="estimated share", ylim=(0, 1.02))
        curves.legend(frameon=False)
        histogram.hist(scores, bins=_BINS, color=_GREY)
        histogram.set(yscale="log", ylabel="pairs", xlabel=label)
        if np.isfinite(best.threshold):
            curves.axvline(best.threshold, color=_INK, linestyle=":")
            histogram.axvline(best.threshold, color=_INK, linestyle=":")
            told = estimated_shares(best.as_dict())
            pairs = f"best F1 at {best.threshold:.3f}: {best.kept:,} pairs"
            curves.set_title(f"{pairs}, {told}" if told else pairs, fontsize=10)
