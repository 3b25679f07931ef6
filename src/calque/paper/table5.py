"""Table 5: what goes along with a language's use to English: shared pieces, and nearness of several kinds."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from ..evaluation.bootstrap import interval, replicate
from ..evaluation.correlation import resampled_spearman
from . import languages
from .languages import FEWEST, SHARING, Studied, notes, study
from .overlap import LOW_OVERLAP
from .published import published
from .table import Row, Table
from .workshop import Score, Workshop

_RESAMPLES = 1000

OVERLAP = "SP Ovl."
_KINDS = {  # the column: URIEL's kind
    "Lang. Distance": "featural",
    "Syntactic": "syntactic",
    "Phonological": "phonological",
    "Inventory": "inventory",
    "Genetic": "genetic",
    "Geographic": "geographic",
}
_CLUSTERS: dict[str, Callable[[Studied], bool]] = {
    "all": lambda each: True,
    "low": lambda each: each.overlap <= LOW_OVERLAP,
    "high": lambda each: each.overlap > LOW_OVERLAP,
}


def check(workshop: Workshop) -> None:
    """Raises what would end the experiment."""
    languages.check(workshop)


def table5(workshop: Workshop) -> Table:
    paper, text = published("table5"), published("figure1")
    found = study(workshop)
    rows = []
    for variant in SHARING:
        for cluster, belongs in _CLUSTERS.items():
            members = [each for each in found.studied if belongs(each)]
            if variant == "shared":
                quoted = dict(text[cluster].values) if cluster in ("low", "high") else {}
                values = dict(paper[cluster].values) | _renamed(quoted)
            else:
                values = _renamed(text["all-unshared"].values) if cluster == "all" else {}
            details = {"variant": variant, "languages": str(len(members))}
            recipe = f"{SHARING[variant]}|{languages.recipe(workshop)}"
            rows.append(Row(paper[cluster].label, _correlations(members, variant, cluster, recipe), values, details))
    return Table(
        "table5",
        paper.title.partition(",")[0],
        (OVERLAP, *_KINDS),
        tuple(rows),
        (
            *notes(workshop, found),
            "prefixed: every piece of the other language is marked, so that the languages share no parameter.",
        ),
    )


def _renamed(values: Mapping[str, float]) -> dict[str, float]:
    return {column.replace("Syntactic Distance", "Syntactic"): value for column, value in values.items()}


def _correlations(members: Sequence[Studied], variant: str, cluster: str, recipe: str) -> dict[str, Score]:
    scores = [(each.score if variant == "shared" else each.prefixed).value for each in members]
    placed = [(each.distances, score) for each, score in zip(members, scores, strict=True) if each.distances]
    columns = {OVERLAP: ("overlap", [(each.overlap, score) for each, score in zip(members, scores, strict=True)])}
    for column, kind in _KINDS.items():
        columns[column] = (kind, [(distances[kind], score) for distances, score in placed])
    return {
        column: _spearman(f"{cluster}:sts~{what}", points, recipe)
        for column, (what, points) in columns.items()
        if len(points) >= FEWEST
    }


def _spearman(name: str, points: Sequence[tuple[float, float]], recipe: str) -> Score:
    x, y = np.array(points).T
    values, replicates = replicate(
        lambda counts: {"spearman": 100 * resampled_spearman(x, y, counts)}, name, len(points), _RESAMPLES
    )
    low, high = interval(replicates["spearman"]) or (None, None)
    value = values["spearman"]
    return Score(value, low, high, f"spearman={value:.1f} | languages:{name}|n:{len(points)}|{recipe}")
