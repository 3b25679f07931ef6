"""The paper's figures, against some copied from it by hand."""

from __future__ import annotations

import pytest

from calque.errors import UsageError
from calque.paper.published import citation, published

SHAPES = {"table1": (4, 3), "table2": (14, 6), "table3": (3, 2), "table4": (4, 1), "table5": (3, 2), "figure1": (3, 3)}
COUNTS = {"table1": 12, "table2": 70, "table3": 6, "table4": 4, "table5": 6, "figure1": 5}  # numbers in the paper


@pytest.mark.parametrize("name", SHAPES)
def test_every_table_is_whole(name: str) -> None:
    table = published(name)
    assert (len(table.rows), len(table.columns)) == SHAPES[name]
    assert sum(len(row.values) for row in table.rows) == COUNTS[name]
    assert len({row.key for row in table.rows}) == len(table.rows)
    for row in table.rows:
        assert set(row.values) <= set(table.columns)
        assert list(row.values) == [column for column in table.columns if column in row.values]
        assert all(isinstance(value, str) for value in row.details.values())


@pytest.mark.parametrize(
    ("table", "key", "column", "value"),
    [
        ("table1", "blstm-sp-20k", "en-cs(2M)", 66.2),
        ("table1", "trigram", "en-en", 70.0),
        ("table2", "random-trigram", "es-es", 77.3),
        ("table2", "sp-80k-os-1024", "es-en", 78.3),
        ("table2", "sp-20k-ep-300", "es-en", 54.9),
        ("table2", "espana-bonet-2017", "en-en", 76),
        ("table2", "sts17-third", "tr-en", 73.6),
        ("table3", "sp-40k", "en-fr", 76.8),
        ("table4", "sp-20k-300", "Sentences/Sec.", 855_571),
        ("table5", "low", "Lang. Distance", -63.8),
        ("figure1", "high", "Syntactic Distance", -29.0),
        ("figure1", "all-unshared", "SP Ovl.", 24.9),
    ],
)
def test_numbers_are_the_papers(table: str, key: str, column: str, value: float) -> None:
    assert published(table)[key].values[column] == value


def test_sums_of_columns_are_those_of_the_printed_page() -> None:
    table = published("table2")
    sums = {column: round(sum(row.values.get(column, 0) for row in table.rows), 1) for column in table.columns}
    assert sums == {"ar-ar": 699.9, "ar-en": 520.5, "es-es": 1091.7, "es-en": 750.8, "en-en": 1017.6, "tr-en": 519.1}


def test_a_row_says_what_it_was_trained_on() -> None:
    assert published("table2")["sp-20k-ep-300"].details == {"data": "EP", "pairs": "2M", "dimension": "300"}
    assert published("table4")["sp-20k-1024"].details == {"dimension": "1024"}
    assert published("table2")["sts17-first"].details == {}


def test_sentences_a_second_are_whole_numbers() -> None:
    assert all(isinstance(row.values["Sentences/Sec."], int) for row in published("table4").rows)


def test_what_is_not_in_the_paper_is_said_to_be_so() -> None:
    for name in ("table6", "citation"):
        with pytest.raises(UsageError, match=rf"the paper has no {name}\n\nhint: it has table1, .*figure1"):
            published(name)


def test_a_row_that_is_not_there_is_a_missing_key() -> None:
    with pytest.raises(KeyError, match="sp-1k"):
        published("table1")["sp-1k"]


def test_the_paper_is_cited() -> None:
    assert citation().startswith("John Wieting, Kevin Gimpel")
    assert "\n" not in citation()
