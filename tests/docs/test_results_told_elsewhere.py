"""Figures of docs/results/estimates.md that other pages repeat."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parent.parent.parent / "docs"
ESTIMATES = (DOCS / "results/estimates.md").read_text(encoding="utf-8")
LANGUAGES = (DOCS / "concepts/languages.md").read_text(encoding="utf-8")


def table_of(heading: str) -> list[list[str]]:
    """The rows of languages under a heading."""
    section = re.split(r"^## ", ESTIMATES.partition(f"## {heading}\n")[2], flags=re.MULTILINE)[0]
    rows = [line.strip("|").split("|") for line in section.split("\n") if re.match(r"\| [a-z]{2,3} \|", line)]
    assert len(rows) == 39
    return [[cell.strip() for cell in row] for row in rows]


MINED = table_of("Mining")
PRECISION, RECALL, F1 = 3, 5, 6


def percentages(tier: str, column: int) -> list[int]:
    return sorted(int(row[column]) for row in MINED if row[1] == tier)


@pytest.mark.parametrize("tier", ["strong", "usable", "weak", "unknown"])
def test_what_to_expect_of_a_tier_is_what_was_measured(tier: str) -> None:
    (cells,) = (row.split("|") for row in LANGUAGES.split("\n") if row.startswith(f"| {tier} |"))
    for cell, column in ((cells[3], PRECISION), (cells[4], RECALL)):
        span, *named = cell.split(";")
        low, high = map(int, re.findall(r"\d+", span))
        outside = [share for share in percentages(tier, column) if not low <= share <= high]
        assert outside == sorted(int(share) for share in re.findall(r"(\d+) %", ";".join(named)))
        assert {low, high} <= set(percentages(tier, column))


def test_the_mining_shown_beside_tatoeba_is_the_same() -> None:
    shown = re.search(r"\| F1 of mining, × 100 \|(.*)\|", LANGUAGES)
    assert shown
    found = {row[0]: row[F1] for row in MINED}
    assert shown[1].replace(" ", "").split("|") == [found[code] for code in ("th", "ko", "hi", "pl", "zh", "fr")]


def test_what_the_warning_says_of_weak_and_unknown_languages_was_measured() -> None:
    """It says: about half to nearly all missed, and often a third wrong."""
    weak = [row for row in MINED if row[1] in ("weak", "unknown")]
    assert all(int(row[RECALL]) <= 55 for row in weak)
    assert sum(int(row[PRECISION]) <= 67 for row in weak) >= len(weak) / 3


def test_how_often_the_default_margin_is_better_is_what_the_table_says() -> None:
    gains = [float(distance) - float(ratio) for _, ratio, distance, _ in table_of("Which margin")]
    as_good = sum(gain >= 0 for gain in gains)
    margins = (DOCS / "concepts/margins.md").read_text(encoding="utf-8")
    assert f"{as_good} of 39 languages that were tried" in margins
    assert f"by up to {max(gains):.1f} points" in margins
    assert f"worse by {-min(gains):.1f} at the most" in margins
    assert f"In {as_good} of [39 languages]" in (DOCS / "guides/mine.md").read_text(encoding="utf-8")
