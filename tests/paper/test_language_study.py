"""The language study: which languages it takes, and the correlations of table 5 against SciPy's."""

from __future__ import annotations

import random
import warnings
from dataclasses import replace
from pathlib import Path

import pytest
import shelf
from scipy.stats import spearmanr
from shelf import Everything

from calque.paper import languages, table5
from calque.paper.distances import KINDS
from calque.paper.languages import Studied, Study, chosen_corpora, notes
from calque.paper.library import Library
from calque.paper.table import Table
from calque.paper.workshop import Score, Workshop

UNKNOWN = "tlh"
COLUMNS = dict(
    zip(("Lang. Distance", "Syntactic", "Phonological", "Inventory", "Genetic", "Geographic"), KINDS, strict=True)
)


def studied(language: str, overlap: float, generator: random.Random) -> Studied:
    placed = {kind: round(generator.random(), 1) for kind in KINDS}  # few digits: equal ranks occur
    score, prefixed = Score(round(generator.uniform(50, 60), 1)), Score(generator.uniform(50, 60))
    return Studied(language, score, prefixed, overlap, overlap / 2, None if language == UNKNOWN else placed)


@pytest.fixture
def workshop(data: Path, tmp_path: Path) -> Workshop:
    return Workshop(Library(data), shelf.TINY, tmp_path / "out")


def table_of(found: list[Studied], workshop: Workshop, monkeypatch: pytest.MonkeyPatch) -> Table:
    monkeypatch.setattr(table5, "study", lambda _: Study(tuple(found), {}))
    return table5.table5(workshop)


def rho(x: list[float], y: list[float]) -> float:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return 100 * float(spearmanr(x, y).statistic)


@pytest.mark.parametrize("seed", range(5))
def test_correlations_are_scipys_in_each_cluster(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    generator = random.Random(seed)
    overlaps = [0.3, 0.300001, 0.0, 1.0] + [generator.random() for _ in range(14)]
    found = [studied(f"l{at}", overlap, generator) for at, overlap in enumerate(overlaps)]
    found.append(studied(UNKNOWN, 0.9, generator))
    rows = table_of(found, workshop, monkeypatch).rows
    low, high = [each for each in found if each.overlap <= 0.3], [each for each in found if each.overlap > 0.3]
    assert [row.details["languages"] for row in rows] == [str(len(each)) for each in (found, low, high)] * 2
    assert [row.details["variant"] for row in rows] == ["shared"] * 3 + ["prefixed"] * 3
    for row, members in zip(rows, (found, low, high) * 2, strict=True):
        shared = row.details["variant"] == "shared"
        score = {each.language: (each.score if shared else each.prefixed).value for each in members}
        expected = rho([each.overlap for each in members], list(score.values()))
        assert row.ours["SP Ovl."].value == pytest.approx(expected)
        placed = {each.language: each.distances for each in members if each.distances is not None}
        for column, kind in COLUMNS.items():
            expected = rho([each[kind] for each in placed.values()], [score[language] for language in placed])
            assert row.ours[column].value == pytest.approx(expected)
            assert f"|n:{len(placed)}|" in row.ours[column].signature
            assert (row.ours[column].low or 0) <= (row.ours[column].high or 0)


def test_too_few_languages_leave_cells_empty(workshop: Workshop, monkeypatch: pytest.MonkeyPatch) -> None:
    generator = random.Random(1)
    overlaps = {"de": 0.8, "el": 0.1, "ru": 0.15, UNKNOWN: 0.2}
    found = [studied(language, overlap, generator) for language, overlap in overlaps.items()]
    rows = table_of(found, workshop, monkeypatch).rows
    assert set(rows[0].ours) == {"SP Ovl.", *COLUMNS}
    assert set(rows[1].ours) == {"SP Ovl."}, "of the three in this cluster URIEL knows two"
    assert rows[2].ours == {}
    assert rows[2].published["SP Ovl."] == 18.5


def test_the_papers_figures_stand_where_they_belong(everything: Everything) -> None:
    rows = everything.json("table5")["rows"]
    assert [row["published"] for row in rows] == [
        {"SP Ovl.": 71.5, "Lang. Distance": -22.8},
        {"SP Ovl.": 23.6, "Lang. Distance": -63.8, "Syntactic": -56.1},
        {"SP Ovl.": 18.5, "Lang. Distance": -34.2, "Syntactic": -29.0},
        {"SP Ovl.": 24.9, "Lang. Distance": -10.1, "Syntactic": -37.5},
        {},
        {},
    ]


def test_table_and_figure_agree(everything: Everything) -> None:
    points = [row["ours"] for row in everything.json("figure1")["rows"]]
    expected = rho([each["SP Ovl."]["value"] for each in points], [each["STS"]["value"] for each in points])
    assert everything.json("table5")["rows"][0]["ours"]["SP Ovl."]["value"] == pytest.approx(expected)


def test_at_a_small_scale_come_languages_near_and_far(workshop: Workshop) -> None:
    assert [corpus.languages[1] for corpus in chosen_corpora(workshop)] == ["de", "es", "fr"]
    workshop.scale = replace(shelf.TINY, languages=None)
    assert [corpus.languages[1] for corpus in chosen_corpora(workshop)] == ["ar", "cs", "de", "es", "fr", "tr"]


def test_languages_with_too_little_text_are_passed_over(workshop: Workshop) -> None:
    path = workshop.library.data / "bitext" / "tatoeba.en-de.tsv"
    path.write_text("".join(path.read_text(encoding="utf-8").splitlines(keepends=True)[:199]), encoding="utf-8")
    assert [corpus.languages[1] for corpus in chosen_corpora(workshop)] == ["ar", "es", "fr"]


def test_what_uriel_does_not_know_is_named(workshop: Workshop) -> None:
    generator = random.Random(1)
    found = Study((studied("de", 0.8, generator), studied(UNKNOWN, 0.2, generator)), {})
    assert "URIEL knows nothing of tlh: left out where distance counts." in notes(workshop, found)


def test_a_language_of_more_characters_than_pieces_is_left_out_and_named(workshop: Workshop) -> None:
    path = workshop.library.data / "bitext" / "tatoeba.en-fr.tsv"
    english = [line.partition("\t")[0] for line in path.read_text(encoding="utf-8").splitlines()]
    shelf.write(path, [(source, chr(0x4E00 + 2 * at) + chr(0x4E01 + 2 * at)) for at, source in enumerate(english)])
    said: list[str] = []
    workshop.say = said.append
    workshop.open()
    found = languages.study(workshop)
    assert [each.language for each in found.studied] == ["de", "es"]
    assert list(found.left_out) == ["fr"]
    assert "languages en-fr: left out: 250 pieces are fewer than the bitext's characters" in said
    assert "fr is left out: 250 pieces are fewer than the bitext's characters." in notes(workshop, found)
