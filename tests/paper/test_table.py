"""A table as Markdown and as a dictionary."""

from __future__ import annotations

from calque.paper.published import PublishedRow
from calque.paper.table import Row, Table
from calque.paper.workshop import Score


def table(*rows: Row, **more: object) -> Table:
    return Table("table9", "Cakes", ("sweet", "large"), rows, **more)  # type: ignore[arg-type]


def test_ours_stand_before_the_papers() -> None:
    both = Row("both", {"sweet": Score(1.26)}, {"sweet": 3})
    ours, theirs = Row("ours", {"large": Score(-1234.5)}), Row("theirs", {}, {"large": 0.0})
    assert table(both, ours, theirs).cells() == (
        ["", "sweet", "large"],
        [["both", "1.3 (3.0)", ""], ["ours", "", "-1,234.5"], ["theirs", "", "(0.0)"]],
    )
    assert table(ours, digits=0).cells()[1] == [["ours", "", "-1,234"]]


def test_a_detail_that_only_some_rows_have_is_a_column_of_all() -> None:
    header, rows = table(Row("a", details={"pairs": "5"}), Row("b", details={"epochs": "2"})).cells()
    assert header == ["", "pairs", "epochs", "sweet", "large"]
    assert rows == [["a", "5", "", "", ""], ["b", "", "2", "", ""]]


def test_details_of_ours_take_the_place_of_the_papers() -> None:
    paper = PublishedRow("key", "Label", {"sweet": 1.0}, {"pairs": "1M", "data": "OS"})
    row = Row.beside(paper, {}, pairs="300")
    assert (row.label, row.details, row.published) == ("Label", {"pairs": "300", "data": "OS"}, {"sweet": 1.0})


def test_markdown_is_whole() -> None:
    score = Score(1.26, 0.5, 2.5, "f1=1.3 | bucc:x|n:5")
    made = table(
        Row("a | b", {"sweet": score}, {"sweet": 3.0}),
        Row("again", {"sweet": score, "large": Score(2.0, signature="speed=2.0 | y")}),
        notes=("one", "two"),
        pictures=("table9.png", "table9.svg"),
    )
    assert made.as_markdown("calque bake", "2 cores of an oven") == (
        "# Cakes\n\n"
        "Ours, and the paper's in brackets.\n\n"
        "|  | sweet | large |\n"
        "| --- | ---: | ---: |\n"
        "| a \\| b | 1.3 (3.0) |  |\n"
        "| again | 1.3 | 2.0 |\n\n"
        "![Cakes](table9.png)\n\n"
        "- one\n- two\n\n"
        "Signatures, with 95 % intervals in brackets:\n\n"
        "- `f1=1.3 [0.5, 2.5] | bucc:x|n:5`\n"
        "- `speed=2.0 | y`\n\n"
        "Made by `calque bake` on 2 cores of an oven.\n"
    )


def test_markdown_of_nothing_but_rows() -> None:
    made = table(Row("a", {"sweet": Score(2.0, signature="speed=2.0 | y")}))
    assert made.as_markdown() == (
        "# Cakes\n\n|  | sweet | large |\n| --- | ---: | ---: |\n| a | 2.0 |  |\n\nSignatures:\n\n- `speed=2.0 | y`\n"
    )


def test_a_dictionary_holds_both_figures_unrounded() -> None:
    score = Score(1.26, 0.5, 2.5, "f1=1.3 | x", {"threshold": 0.4})
    described = table(Row("a", {"sweet": score}, {"sweet": 3.0, "large": 4}, {"pairs": "5"}), notes=("n",)).as_dict()
    assert described == {
        "name": "table9",
        "title": "Cakes",
        "columns": ["sweet", "large"],
        "rows": [
            {
                "label": "a",
                "details": {"pairs": "5"},
                "ours": {
                    "sweet": {
                        "value": 1.26,
                        "low": 0.5,
                        "high": 2.5,
                        "signature": "f1=1.3 | x",
                        "notes": {"threshold": 0.4},
                    }
                },
                "published": {"sweet": 3.0, "large": 4},
            }
        ],
        "notes": ["n"],
        "pictures": [],
    }
