"""The model folder carries measured quality by language, and tells how far a language can be relied on."""

from __future__ import annotations

import json
import shutil
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import calque
from calque.errors import ModelError
from calque.model import Model, load, save
from calque.model.quality import LanguageQuality, quality_of, tier_of
from calque.model.quantise import quantised

GOOD: dict[str, Any] = {
    "language": "ko",
    "against": "en",
    "forward": 52.5,
    "backward": 51,
    "n": 1000,
    "set": "held-out.en-ko",
    "date": "2026-03-01",
}


def measured(language: str, found: float, n: int = 1000, against: str = "en") -> LanguageQuality:
    return LanguageQuality(language, against, found - 1, found + 1, n, "held-out", "2026-03-01")


@pytest.mark.parametrize(
    ("found", "n", "tier"),
    [
        (100, 1000, "strong"),
        (90, 1000, "strong"),
        (89.9, 1000, "usable"),
        (60, 200, "usable"),
        (59.9, 1000, "weak"),
        (0, 1000, "weak"),
        (95, 199, None),
    ],
)
def test_tiers_are_cut_by_the_mean_of_both_ways_among_enough_sentences(found: float, n: int, tier: str | None) -> None:
    each = measured("ko", found, n)
    assert (each.found, each.tier) == (pytest.approx(found), tier)


@pytest.mark.parametrize(
    ("asked", "is_in"),
    [("zh-CN", "zh"), ("zh", "zh-CN"), ("cmn", "zh"), ("tl", "fil"), ("fa", "pes"), ("no", "nb"), ("kor", "ko")],
)
def test_a_language_is_found_by_any_of_its_codes(asked: str, is_in: str) -> None:
    assert tier_of(asked, [is_in], [measured("ta", 99), measured(is_in, 30)]) == "weak"


def test_the_language_that_others_were_measured_against_counts_as_the_best_of_them() -> None:
    found = quality_of("en", [measured("ko", 52), measured("fr", 92), measured("de", 99, against="nl")])
    assert found is not None
    assert found.language == "fr"


def test_weak_languages_say_nothing_of_the_one_that_they_were_measured_against() -> None:
    assert quality_of("en", [measured("ku", 44), measured("ko", 52)]) is None
    few = quality_of("en", [measured("es", 40, n=100)])
    assert few is not None
    assert few.tier is None


def test_unknown_is_what_it_was_not_trained_on_and_none_is_what_nobody_measured() -> None:
    assert tier_of("km", ["en", "ko"], [measured("ko", 52)]) == "unknown"
    assert tier_of("fr", ["en", "ko", "fr"], [measured("ko", 52)]) is None
    assert tier_of("km", [], []) is None, "a model of another library says nothing of its languages"


def test_a_model_tells_tiers_and_figures(measured_model: Model) -> None:
    tiers = {language: measured_model.tier(language) for language in ("es", "spa", "de", "en", "fr", "km")}
    assert tiers == {"es": "weak", "spa": "weak", "de": "strong", "en": "strong", "fr": None, "km": "unknown"}
    found = measured_model.quality("es")
    assert found is not None
    assert (found.found, found.n, found.set, found.date) == (40, 500, "held-out.en-es", "2026-03-01")
    assert measured_model.quality("fr") is None


def test_quality_stays_with_a_model_that_is_saved_again_or_made_smaller(measured_model: Model, tmp_path: Path) -> None:
    small = quantised(measured_model, 4)
    again = load(save(tmp_path / "small", small.encoder, small.about).path)
    assert again.about.quality == measured_model.about.quality
    assert again.tier("es") == "weak"


def test_quality_changes_no_checksum(measured_model: Model, small_model: Model) -> None:
    assert measured_model.checksum == small_model.checksum
    assert measured_model.vocabulary_checksum == small_model.vocabulary_checksum


def test_a_folder_from_before_says_nothing_of_quality(small_model: Model) -> None:
    config = json.loads((Path(str(small_model.path)) / "config.json").read_text(encoding="utf-8"))
    assert "quality" not in config["about"]
    assert small_model.tier("es") is None


@pytest.mark.parametrize(
    "forged",
    [
        5,
        {},
        [5],
        [{}],
        *(
            [GOOD | {name: value}]
            for name, value in [
                ("language", ""),
                ("language", "\x1b[2J"),
                ("language", None),
                ("against", "en\n"),
                ("forward", float("nan")),
                ("forward", 100.1),
                ("backward", -1),
                ("backward", float("inf")),
                ("backward", True),
                ("n", 0),
                ("n", 1.5),
                ("n", 1 << 70),
                ("set", 7),
                ("set", "\ud800"),
                ("set", "held-out\nerror: out of memory"),
                ("date", "yesterday"),
                ("date", "20260301"),
                ("date", "2026-02-30"),
            ]
        ),
        [{name: value for name, value in GOOD.items() if name != "date"}],
        [GOOD, GOOD | {"n": 7}],
    ],
    ids=repr,
)
def test_forged_quality_is_an_error_that_names_the_file(measured_model: Model, tmp_path: Path, forged: Any) -> None:
    folder = Path(shutil.copytree(str(measured_model.path), tmp_path / "model"))
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    config["about"]["quality"] = forged
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    with pytest.raises(ModelError, match=r"config\.json: `about` is not understood"):
        load(folder)


@given(st.floats(0, 100), st.floats(0, 100), st.integers(1, 10**9))
def test_a_measurement_comes_back_as_it_was_to_two_digits(forward: float, backward: float, n: int) -> None:
    one = LanguageQuality("ko", "en", forward, backward, n, "held-out", "2026-03-01")
    again = LanguageQuality.from_dict(json.loads(json.dumps(one.as_dict())))
    assert replace(again, forward=forward, backward=backward) == one
    assert (again.forward, again.backward) == (pytest.approx(forward, abs=0.006), pytest.approx(backward, abs=0.006))


def test_the_box_knows_how_good_it_is_in_each_of_its_languages(real_box: Path) -> None:
    box = calque.load()
    tiers = {language: box.tier(language) for language in box.languages}
    assert set(tiers.values()) == {"strong", "usable", "weak"}
    assert {tiers[language] for language in ("en", "es", "fr")} == {"strong"}
    assert {tiers[language] for language in ("ko", "th", "ka")} == {"weak"}
    assert box.tier("zh-CN") == box.tier("zh") == "usable"
    assert box.tier("km") == "unknown"


def test_the_box_and_its_card_give_the_same_figures(real_box: Path) -> None:
    rows = [line.split("|") for line in (real_box / "README.md").read_text(encoding="utf-8").splitlines()]
    told = {
        row[1].strip(): (float(row[6]), row[7].strip())
        for row in rows
        if len(row) == 9 and row[6].strip()[:1].isdigit()
    }
    box = calque.load()
    assert len(told) == 60
    for language, (found, weak) in told.items():
        its = box.quality(language)
        assert its is not None
        assert its.found == pytest.approx(found, abs=0.16), language  # a near tie may fall otherwise elsewhere
        assert (its.tier == "weak") == (weak == "weak"), language


@pytest.mark.data
@pytest.mark.parametrize("language", ["kor", "fra", "tha"])
def test_the_boxs_figures_are_those_that_are_measured(real_box: Path, real_data: Path, language: str) -> None:
    path = real_data / "eval/tatoeba"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", calque.LanguageWarning)
        values = calque.evaluate("box", "tatoeba", path, only=[f"{language}-eng"], resamples=0).results[0].values
    found = calque.load().quality(language)
    assert found is not None
    measured = values["forward"], values["backward"]
    assert (found.forward, found.backward) == pytest.approx(
        measured, abs=0.3
    )  # a near tie may fall otherwise elsewhere
