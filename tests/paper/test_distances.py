"""Distances from English, against URIEL's raw features and what is known of languages."""

from __future__ import annotations

import math
import subprocess
import sys
from importlib import metadata
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from calque.errors import UsageError
from calque.evaluation.correlation import spearman
from calque.paper.distances import KINDS, _uriel, distances

# The other languages of the English bitexts that the language study may be run on.
BITEXTS = """\
af ar az be ber bg bn ca cor cs da de dtp el en eo es et eu fa fi fr gl he hi hr hu hy ia id ie ilo io is it ja jbo ka
kab kha ko la lfn lt lv mk mr ms nb nds nl no pes pl pt rn ro ru sh sk sl sq sv ta te th tk tl tlh tok tr ug uk vi vo yi
zh zh-CN"""
CODES = BITEXTS.split()
WITHOUT = {"ber", "tok", "ia", "ie", "io", "jbo", "lfn", "tlh", "vo"}  # a group, and languages that were invented


def raw(name: str, language: str) -> dict[str, float]:
    with files("lang2vec").joinpath("data", f"{name}.npz").open("rb") as file:
        table: Any = np.load(file, allow_pickle=False)
        row = table["data"][table["langs"].tolist().index(language), :, 0]
        return dict(zip(table["feats"].tolist(), map(float, row), strict=True))


def found(language: str) -> dict[str, float]:
    made = distances(language)
    assert made is not None
    return made


@pytest.mark.parametrize("language", CODES)
def test_every_language_of_the_bitexts_has_distances_or_cannot_have_them(language: str) -> None:
    made = distances(language)
    assert (made is None) == (language in WITHOUT)
    if made is not None:
        assert tuple(made) == KINDS
        assert all(0 <= value <= 1 for value in made.values())


def test_english_is_no_distance_from_itself() -> None:
    assert found("en") == dict.fromkeys(KINDS, 0)
    assert found("eng") == found("en-GB") == found("en")


@pytest.mark.parametrize("near", ["es", "de", "nl", "fr", "sv"])
@pytest.mark.parametrize("kind", ["featural", "syntactic", "genetic", "geographic"])
def test_languages_of_europe_are_nearer_than_japanese(near: str, kind: str) -> None:
    assert found(near)[kind] < found("ja")[kind]


def test_the_angle_is_that_between_the_raw_features() -> None:
    one, two = raw("feature_predictions", "eng"), raw("feature_predictions", "spa")
    for kind, prefix in {"syntactic": "S_", "phonological": "P_", "inventory": "INV_", "featural": ""}.items():
        names = [name for name in one if name.startswith(prefix)]
        product = sum(one[name] * two[name] for name in names)
        squares = [sum(side[name] ** 2 for name in names) for side in (one, two)]
        assert found("es")[kind] == round(2 / math.pi * math.acos(product / math.sqrt(squares[0] * squares[1])), 4)


def test_german_shares_four_of_nine_and_six_branches_of_its_family() -> None:
    shared = {name for name, value in raw("family_features", "eng").items() if value}
    shared &= {name for name, value in raw("family_features", "deu").items() if value}
    assert shared == {f"F_{name}" for name in ("Indo-European", "Germanic", "Northwest Germanic", "West Germanic")}
    assert found("de")["genetic"] == round(2 / math.pi * math.acos(4 / math.sqrt(9 * 6)), 4)


def test_a_language_without_relatives_is_as_far_as_one_of_another_family() -> None:
    assert found("eu")["genetic"] == 1  # Basque: URIEL gives it no family
    assert found("ja")["genetic"] == 1


@pytest.mark.parametrize(("language", "kilometres"), [("fr", 600), ("de", 1060), ("ja", 9350), ("is", 1700)])
def test_places_lie_as_far_apart_as_on_the_globe(language: str, kilometres: float) -> None:
    assert found(language)["geographic"] * math.pi * 6371 == pytest.approx(kilometres, rel=0.1)


def test_every_language_that_can_have_distances_has_a_place() -> None:
    uriel = _uriel()
    assert np.linalg.norm(uriel.places[uriel.known], axis=1) == pytest.approx(1, abs=0.01)


def test_angles_put_languages_in_the_same_order_as_cosine_distance() -> None:
    angles = [found(language)["syntactic"] for language in sorted(set(CODES) - WITHOUT)]
    assert spearman(angles, [1 - math.cos(math.pi / 2 * angle) for angle in angles]) == pytest.approx(1)


def test_french_is_about_as_far_as_uriel_has_it() -> None:
    assert found("fr")["syntactic"] == pytest.approx(0.4569, abs=0.1)


@pytest.mark.parametrize(
    "names",
    [
        "no nb nob nor nn",
        "fa pes fas",
        "zh zh-CN cmn zho_Hans",
        "tl fil tgl",
        "ar arb arb_Arab",
        "et ekk",
        "lv lvs",
        "sq als",
        "ms zsm",
        "sh hbs",
    ],
)
def test_a_language_is_the_same_under_all_its_names(names: str) -> None:
    first, *others = names.split()
    assert all(found(other) == found(first) for other in others)


def test_a_language_that_was_hardly_described_is_judged_by_its_relatives() -> None:
    assert found("sk")["syntactic"] == pytest.approx(found("cs")["syntactic"], abs=0.1)  # nothing observed of Slovak


def test_neighbours_with_a_name_of_their_own_stay_apart() -> None:
    assert found("sh") != found("hr") != found("sr") != found("sh")
    assert found("id") != found("ms")


@pytest.mark.parametrize("odd", ["", "xx", "sentence", "und", "mul", "zxx", "../eng", "qaa"])
def test_what_is_no_language_has_no_distance(odd: str) -> None:
    assert distances(odd) is None


def test_without_lang2vec_the_way_to_get_it_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    _uriel.cache_clear()

    def none(name: str) -> None:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "distribution", none)
    with pytest.raises(UsageError, match=r"needs the package lang2vec.*\n\nhint: pip install 'calque-nlp\[paper\]'"):
        distances("es")


def test_a_script_of_the_same_name_in_the_way_does_no_harm(tmp_path: Path) -> None:
    (tmp_path / "lang2vec.py").write_text("import pkg_resources_of_old\n")
    code = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); from calque.paper.distances import distances"
    done = subprocess.run([sys.executable, "-c", f"{code}; print(distances('en'))"], capture_output=True, text=True)
    assert "'featural': 0.0" in done.stdout, done.stderr
