"""How far languages are from English, by URIEL (Littell et al. 2017).

URIEL describes languages by vectors, and its authors published distances between them, which the paper uses. lang2vec
comes with the vectors but not with those distances, so they are computed here:

- syntactic, phonological, inventory (of sounds): from the 103, 28 and 158 typological features, with the gaps filled
  in as URIEL predicts them from a language's nearest neighbours (`*_knn`); featural: from all 289 together;
- genetic: from membership in families and their branches; a language that shares none is at distance 1;
- geographic: along the great circle between the languages' places, as a share of half the globe.

All but the last are angles between vectors, 2/π · arccos(cosine): 0 is the same, 1 has nothing in common. URIEL's own
must be such angles too, though often called cosine distances: the syntax of English and French is 0.4569 apart there,
while cosine distance stays below 0.34 whichever of its sources one takes, gaps skipped or taken for zeros; the angle is
0.397 here. One grows with the other, so rank correlations are the same. How gaps were treated is not recorded, and
nobody has got exactly URIEL's numbers again: these are near them, and not the same.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from ..corpus.languages import standard
from ..extras import require_folder

KINDS = ("featural", "syntactic", "phonological", "inventory", "genetic", "geographic")

_FEATURES = {"featural": "", "syntactic": "S_", "phonological": "P_", "inventory": "INV_"}  # how their names begin
_ENGLISH = "eng"
_INVENTED = "F_Artificial Language"  # no kinship

# URIEL has macrolanguages as entries of their own, and mostly knows more of them than of what they consist of.
_KNOWN_AS = {
    "als": "sqi",
    "arb": "ara",
    "azj": "aze",
    "cmn": "zho",
    "ekk": "est",
    "fil": "tgl",
    "khk": "mon",
    "lvs": "lav",
    "nno": "nor",
    "nob": "nor",
    "npi": "nep",
    "ory": "ori",
    "pes": "fas",
    "plt": "mlg",
    "swh": "swa",
    "uzn": "uzb",
    "ydd": "yid",
    "zlm": "msa",
    "zsm": "msa",
}

Array = npt.NDArray[Any]


@dataclass(frozen=True)
class _Uriel:
    """One row a language."""

    languages: dict[str, int]
    known: Array  # (languages,) whether anything of it was observed, or its relatives are known to predict from
    features: dict[str, Array]  # by kind
    families: Array
    places: Array  # (languages, 3) on the unit sphere


def distances(language: str) -> dict[str, float] | None:
    """The distance to English by kind, or None for what is no language that URIEL knows anything of.

    Groups of languages (`ber`) and most invented ones are such: of Klingon, URIEL has a place (California) and guesses.

    Raises:
        UsageError: lang2vec, which has the data, is not installed.
    """
    uriel = _uriel()
    at = uriel.languages.get(_code(language) or "")
    if at is None or not uriel.known[at]:
        return None
    english = uriel.languages[_ENGLISH]
    found = {kind: _angle(vectors[english], vectors[at]) for kind, vectors in uriel.features.items()}
    found["genetic"] = _angle(uriel.families[english], uriel.families[at])
    found["geographic"] = _angle(uriel.places[english], uriel.places[at]) / 2  # antipodes are at distance 1
    # Vectors that are equally far must come out equal, or ranks would hang on the last bit. URIEL has four digits too.
    return {kind: round(found[kind], 4) for kind in KINDS}


def _code(language: str) -> str | None:
    """ISO 639-3, as URIEL has it."""
    from langcodes import Language

    tag = standard(language)
    if tag is None or tag == "sh":
        return "hbs" if tag else None  # langcodes would make it Serbian
    try:
        code = Language.get(tag).to_alpha3()
    except LookupError:
        return None
    return _KNOWN_AS.get(code, code)


def _angle(one: Array, two: Array) -> float:
    """In right angles."""
    # A vector of nothing is a language that is alone in its family.
    scale = float(np.linalg.norm(one) * np.linalg.norm(two))
    return 2 / math.pi * math.acos(max(-1.0, min(1.0, float(one @ two) / scale))) if scale else 1.0


@dataclass(frozen=True)
class _Table:
    rows: dict[str, int]  # by language
    columns: list[str]
    values: Array

    def of(self, languages: list[str]) -> Array:
        return self.values[[self.rows[language] for language in languages]]

    def beginning(self, prefix: str) -> Array:
        return self.values[:, [column.startswith(prefix) for column in self.columns]]

    def without(self, column: str) -> _Table:
        at = self.columns.index(column)
        return _Table(self.rows, self.columns[:at] + self.columns[at + 1 :], np.delete(self.values, at, axis=1))


@lru_cache(maxsize=1)
def _uriel() -> _Uriel:
    predicted = _read("feature_predictions", np.float64)
    languages = list(predicted.rows)
    branches = _read("family_features", np.int8).without(_INVENTED).of(languages)
    observed = _read("feature_averages", np.float64).of(languages) != -1
    points = _read("geocoord_features", np.float64)
    return _Uriel(
        languages=predicted.rows,
        known=observed.any(axis=1) | branches.any(axis=1),
        features={kind: predicted.beginning(prefix) for kind, prefix in _FEATURES.items()},
        families=branches,
        places=_places(points.columns, points.of(languages)),
    )


def _places(points: list[str], shares: Array) -> Array:
    """Where languages are spoken, given their distances to points like GC_-83_42 as shares of half the globe.

    The cosine of the angle to a point is the product with it, so that places solve an overdetermined linear system.
    """
    latitude, longitude = np.radians([[float(part) for part in point.split("_")[1:]] for point in points]).T
    sphere = np.stack(
        [np.cos(latitude) * np.cos(longitude), np.cos(latitude) * np.sin(longitude), np.sin(latitude)]
    )  # (3, points)
    places: Array = np.cos(np.pi * shares.astype(np.float64)) @ np.linalg.pinv(sphere)
    return places


def _read(name: str, type: type[np.generic]) -> _Table:
    # lang2vec itself is not imported: it needs pkg_resources, which setuptools no longer has. Nor is it looked for by
    # its name among modules: it also installs a script lang2vec.py, which lies first in the way of our own command.
    folder = require_folder("lang2vec", "paper", "the distance between languages")
    with np.load(folder / "data" / f"{name}.npz", allow_pickle=False) as data:
        rows = {language: row for row, language in enumerate(data["langs"].tolist())}
        return _Table(rows, data["feats"].tolist(), data["data"][:, :, 0].astype(type))
