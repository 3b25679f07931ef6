"""Plots that are there, say what they should, and come out the same again."""

from __future__ import annotations

import re
import struct
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from calque.errors import CalqueError, UsageError
from calque.evaluation.correlation import spearman
from calque.paper.bars import grouped_bars, speed_bars
from calque.paper.scatter import LanguagePoint, language_scatter

LATIN = ("af az br bs ca cs da de eo es et eu fi fr gl hr hu id is it", "lt lv ms nl no pl pt ro sk sl sq sv tr vi")
OTHER = ("ar bg bn el fa he hi", "ja ka ko mk ml ru")
NAMES = [name for line in LATIN + OTHER for name in line.split()]


def study() -> list[LanguagePoint]:
    """47 languages as in the paper's figure: alphabets like the English one have the greater overlap."""
    chance = np.random.default_rng(1)
    points = []
    for lines, low, high in ((LATIN, 0.35, 0.65), (OTHER, 0.05, 0.3)):
        for language in " ".join(lines).split():
            overlap, distance = chance.uniform(low, high), chance.uniform(0.38, 0.62)
            points.append(LanguagePoint(language, 60 + 10 * overlap + chance.normal(), overlap, distance))
    return points


@pytest.fixture(scope="module")
def figure(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    return language_scatter(study(), tmp_path_factory.mktemp("figure") / "figure1")


def texts(svg: Path) -> list[str]:
    return re.findall(r"<text[^>]*>([^<]*)</text>", svg.read_text(encoding="utf-8"))


def size_of(png: Path) -> tuple[int, int]:
    width, height = struct.unpack(">II", png.read_bytes()[16:24])
    return width, height


def test_a_picture_for_screens_and_one_for_print_are_written(figure: list[Path]) -> None:
    assert [path.name for path in figure] == ["figure1.png", "figure1.svg"]
    assert size_of(figure[0]) == (1600, 900)
    assert figure[1].read_text(encoding="utf-8").startswith("<?xml")
    assert sorted(figure[0].parent.iterdir()) == figure


def test_a_name_with_a_dot_keeps_it(tmp_path: Path) -> None:
    assert speed_bars({"a": 1}, tmp_path / "v0.1", "t") == [tmp_path / "v0.1.png", tmp_path / "v0.1.svg"]


def test_every_language_is_named_in_both_panels(figure: list[Path]) -> None:
    names = texts(figure[1])
    assert all(names.count(language) == 2 for language in NAMES)


def test_a_language_of_unknown_distance_is_in_one_panel(tmp_path: Path) -> None:
    points = study()
    names = texts(language_scatter([replace(points[0], distance=None), *points[1:]], tmp_path / "a")[1])
    assert (names.count("af"), names.count("az")) == (1, 2)


def test_correlations_of_all_and_of_both_clusters_are_told(figure: list[Path]) -> None:
    points = study()
    titles = [text for text in texts(figure[1]) if text.startswith("Spearman")]
    for title, attribute in zip(titles, ("overlap", "distance"), strict=True):
        for name, chosen in {
            "all": points,
            "≤ 0.3": [point for point in points if point.overlap <= 0.3],
            "> 0.3": [point for point in points if point.overlap > 0.3],
        }.items():
            x, y = [getattr(point, attribute) for point in chosen], [point.score for point in chosen]
            told = f"{name}: {100 * spearman(x, y):.1f}".replace("-", "−")
            assert told in title.replace("&lt;", "<").replace("&gt;", ">")


def test_exactly_at_the_threshold_counts_as_low(tmp_path: Path) -> None:
    points = [LanguagePoint(name, score, 0.3 - score / 100, 0.1) for score, name in enumerate("abcd")]
    points += [LanguagePoint(name, 9, 0.4, 0.3) for name in "xy"]
    title = next(text for text in texts(language_scatter(points, tmp_path / "a")[1]) if text.startswith("Spearman"))
    assert "≤ 0.3: −100.0" in title
    assert title.endswith("0.3: –")  # two languages are too few for a correlation


@pytest.mark.parametrize("distance", [None, 0.4])
def test_few_languages_can_be_drawn(tmp_path: Path, distance: float | None) -> None:
    same = LanguagePoint("es", 65, 0.5, distance)
    assert language_scatter([same], tmp_path / "one")[0].exists()
    assert language_scatter([same, replace(same, language="fr")], tmp_path / "two")[0].exists()


def test_the_same_numbers_give_the_same_bytes(tmp_path: Path, figure: list[Path]) -> None:
    assert language_scatter(study(), tmp_path / "again")[1].read_bytes() == figure[1].read_bytes()
    groups = {"SP": {"en-en": 69.7, "en-cs": 70.0}, "Word": {"en-en": 66.7, "en-cs": 65.2}}
    for name in ("one", "two"):
        speed_bars({"ours": 2e6, "theirs": 3e4}, tmp_path / f"speed-{name}", "Speed")
        grouped_bars(groups, tmp_path / f"groups-{name}", "r", groups)
    for start in ("speed-", "groups-"):
        one, two = ((tmp_path / f"{start}{name}.svg").read_bytes() for name in ("one", "two"))
        assert one == two


def test_rates_are_written_beside_their_bars_from_top_to_bottom(tmp_path: Path) -> None:
    png, svg = speed_bars({"ours": 2_103_456.4, "theirs": 31.4, "slow": 0.25}, tmp_path / "speed", "Two cores")
    found = texts(svg)
    assert {"2,103,456", "31", "0.25", "ours", "theirs", "Two cores"} <= set(found)
    heights = {
        text: float(height)
        for height, text in re.findall(r'<text[^>]* y="([\d.]+)"[^>]*>([a-z]+)</text>', svg.read_text(encoding="utf-8"))
    }
    assert heights["ours"] < heights["theirs"] < heights["slow"]
    assert size_of(png)[0] == 1300


def test_only_our_own_bars_are_solid(tmp_path: Path) -> None:
    rates = {"ours": 2e6, "theirs": 3e4}
    drawn = [speed_bars(rates, tmp_path / str(at), "t", ours)[1] for at, ours in enumerate([(), {"ours"}, set(rates)])]
    assert [svg.read_text(encoding="utf-8").count("fill: #7f8c8d") for svg in drawn] == [0, 1, 2]


@pytest.mark.parametrize("rate", [0, -1, float("nan"), float("inf")])
def test_a_rate_that_is_none_is_refused(tmp_path: Path, rate: float) -> None:
    with pytest.raises(UsageError, match="theirs: expected a rate above 0, got"):
        speed_bars({"ours": 1, "theirs": rate}, tmp_path / "a", "t")
    assert not list(tmp_path.iterdir())


def test_groups_have_their_values_and_what_was_published(tmp_path: Path) -> None:
    ours = {"SP": {"en-en": 68.3, "en-cs": 67.3}, "Word": {"en-en": 61.2}}
    paths = grouped_bars(ours, tmp_path / "a", "mean r", {"SP": {"en-en": 69.7}, "Other": {"en-en": 20.0}})
    assert {"68.3", "67.3", "61.2", "SP", "Word", "en-en", "en-cs", "published", "mean r"} <= set(texts(paths[1]))
    assert "published" not in texts(grouped_bars(ours, tmp_path / "b", "mean r")[1])


def test_nothing_cannot_be_drawn(tmp_path: Path) -> None:
    for draw in (
        lambda: language_scatter([], tmp_path / "a"),
        lambda: speed_bars({}, tmp_path / "a", "t"),
        lambda: grouped_bars({"SP": {}}, tmp_path / "a", "r"),
    ):
        with pytest.raises(UsageError, match="nothing to draw"):
            draw()


def test_a_place_that_cannot_be_written_to_is_said(tmp_path: Path) -> None:
    with pytest.raises(CalqueError, match=r"cannot write .*a\.png"):
        speed_bars({"a": 1}, tmp_path / "missing" / "a", "t")


def test_without_matplotlib_the_way_to_get_it_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(UsageError, match=r"needs the package matplotlib.*\n\nhint: pip install 'calque-nlp\[plot\]'"):
        speed_bars({"a": 1}, tmp_path / "a", "t")


def test_pyplot_is_left_alone(tmp_path: Path) -> None:
    script = f"""
import sys
from pathlib import Path
import calque.paper.bars as plots
assert "matplotlib" not in sys.modules
plots.speed_bars({{"a": 1}}, Path({str(tmp_path / "a")!r}), "t")
assert "matplotlib.pyplot" not in sys.modules
import matplotlib
assert matplotlib.rcParams["svg.hashsalt"] != "calque"
"""
    subprocess.run([sys.executable, "-c", script], check=True)
