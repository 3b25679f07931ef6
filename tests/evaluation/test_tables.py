"""Evaluations as tables, in words and in Markdown."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import calque
from calque.evaluation.evaluate import Evaluation, evaluate_all
from calque.evaluation.result import Result
from calque.evaluation.tables import as_markdown, one_model, side_by_side


def evaluation(model: str, values: list[float], spread: float = 1.0) -> Evaluation:
    """Of sts sets `a`, `b`, … with these scores; replicates lie evenly around them."""
    around = np.linspace(-spread, spread, 101)
    rows = [
        Result(
            f"sts:{'abc'[at]}",
            1000 + at,
            f"sts:{'abc'[at]}|n:{1000 + at}|{model}",
            {"pearson": value, "spearman": value / 2},
            {"pearson": value + around, "spearman": value / 2 + around},
        )
        for at, value in enumerate(values)
    ]
    return Evaluation(model, "sts", tuple(rows[:-1]), tuple(rows[-1:]))


def cells(markdown: str) -> list[list[str]]:
    """Of the table's lines, split at bars that are not escaped."""
    lines = [line for line in markdown.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines]


def test_one_model_with_its_intervals() -> None:
    found = one_model(evaluation("m", [70.04, 60.06]))
    assert found.header == ["set", "n", "pearson", "95 %", "spearman"]
    assert found.rows == [
        ["sts:a", "1,000", "70.0", "69.1 … 71.0", "35.0"],
        ["sts:b", "1,001", "60.1", "59.1 … 61.0", "30.0"],
    ]
    assert found.means_begin == 1


def test_models_side_by_side_with_difference_and_p() -> None:
    found = side_by_side([evaluation("one", [70, 60]), evaluation("two", [70, 65])])
    assert found.header == ["set", "n", "one", "two", "difference", "p"]
    assert found.rows == [
        ["sts:a", "1,000", "70.0", "70.0", "+0.0 (+0.0 … +0.0)", "1.000"],
        ["sts:b", "1,001", "60.0", "65.0", "+5.0 (+5.0 … +5.0) *", "0.020"],
    ]
    assert "paired bootstrap test against one" in found.note


def test_markdown_has_as_many_cells_in_every_row_whatever_the_names() -> None:
    models = [evaluation(name, [70, 65 + at, 60 + at]) for at, name in enumerate(["a|b", "c*d", "e\\"])]
    written = as_markdown(side_by_side(models), models)
    header, rule, *rows = cells(written)
    assert header[2:4] == ["a\\|b", "c\\*d"]
    assert set(rule[1:]) == {"---:"}
    assert {len(row) for row in (header, rule, *rows)} == {len(header)}
    assert len(header) == 9
    assert len(rows) == 3


def test_the_stars_of_a_bold_row_do_not_spoil_its_mark() -> None:
    models = [evaluation("one", [70, 60]), evaluation("two", [70, 65])]
    last = cells(as_markdown(side_by_side(models), models))[-1]
    assert last == ["**sts:b**", "**1,001**", "**60.0**", "**65.0**", "**+5.0 (+5.0 … +5.0) \\***", "**0.020**"]


def test_markdown_lists_the_signature_of_every_score() -> None:
    models = [evaluation("one", [70, 60]), evaluation("two", [70, 65])]
    listed = [line for line in as_markdown(side_by_side(models), models).splitlines() if line.startswith("- ")]
    assert listed == [
        "- `pearson=70.0 | sts:a|n:1000|one`",
        "- `pearson=60.0 | sts:b|n:1001|one`",
        "- `pearson=70.0 | sts:a|n:1000|two`",
        "- `pearson=65.0 | sts:b|n:1001|two`",
    ]


@pytest.mark.parametrize("resamples", [0, 20])
def test_every_suite_has_whole_rows(
    small_model: calque.Model, sts17: Path, tatoeba: Path, bucc: Path, resamples: int
) -> None:
    for suite, data in (("sts17", sts17), ("tatoeba", tatoeba), ("bucc", bucc), ("speed", sts17)):
        several = evaluate_all([small_model, "random-word", "random-trigram"], suite, data, resamples=resamples)
        for table in (one_model(several[0]), side_by_side(several)):
            assert {len(row) for row in table.rows} == {len(table.header)}
            assert len(table.rows) == len(several[0].rows)


def test_a_threshold_is_shown_with_where_it_comes_from(small_model: calque.Model, bucc: Path) -> None:
    table = one_model(evaluate_all([small_model], "bucc", bucc, resamples=0)[0])
    assert table.header == ["set", "n", "f1", "precision", "recall", "threshold", "threshold from"]
    sources = {row[0]: row[-1] for row in table.rows}
    assert sources["bucc:de-en.sample:ratio"] == "de-en.training"
    assert sources["bucc:de-en.training:ratio"].startswith("oracle")
    assert sources["bucc:de-en.sample:ratio:auto"].startswith("automatic")


def test_a_row_without_a_score_is_empty_and_compared_with_nothing() -> None:
    without = Evaluation("none", "sts", (Result("sts:a", 1000, "sts:a|none", {}),), evaluation("none", [70, 60]).means)
    table = side_by_side([without, evaluation("m", [70, 60])])
    assert table.rows[0][2:] == ["", "70.0", "", ""]
    assert table.rows[1][2:] == ["60.0", "60.0", "+0.0 (+0.0 … +0.0)", "1.000"]
    turned = side_by_side([evaluation("m", [70, 60]), without])
    assert turned.rows[0][2:] == ["70.0", "", "", ""]
    assert one_model(without).rows[0][2] == ""
