"""Figure 1: each language's use to English against shared pieces and against distance."""

from __future__ import annotations

from ..extras import require
from . import languages
from .languages import Studied, notes, study
from .published import published
from .scatter import LanguagePoint, language_scatter
from .table import Row, Table
from .workshop import Score, Workshop

_COLUMNS = ("STS", "STS, prefixed", "SP Ovl.", "SP Ovl. of types", "Lang. Distance", "Syntactic")


def check(workshop: Workshop) -> None:
    """Raises what would end the experiment."""
    require("matplotlib", "plot", "drawing")
    languages.check(workshop)


def figure1(workshop: Workshop) -> Table:
    """The plot, and the numbers behind it."""
    found = study(workshop)
    points = [
        LanguagePoint(each.language, each.score.value, each.overlap, (each.distances or {}).get("featural"))
        for each in found.studied
    ]
    pictures = language_scatter(points, workshop.out / "figure1")
    rows = tuple(
        Row(each.language, _numbers(each)) for each in sorted(found.studied, key=lambda each: -each.score.value)
    )
    return Table(
        "figure1",
        published("table5").title.replace("Spearman's ρ × 100 between mean", "Mean").partition(",")[0],
        _COLUMNS,
        rows,
        tuple(notes(workshop, found)),
        pictures=tuple(picture.name for picture in pictures),
    )


def _numbers(each: Studied) -> dict[str, Score]:
    found = {
        "STS": each.score,
        "STS, prefixed": each.prefixed,
        "SP Ovl.": Score(100 * each.overlap),
        "SP Ovl. of types": Score(100 * each.type_overlap),
    }
    if each.distances:
        found["Lang. Distance"] = Score(100 * each.distances["featural"])
        found["Syntactic"] = Score(100 * each.distances["syntactic"])
    return found
