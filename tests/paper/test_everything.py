"""`reproduce("all")` on a tiny library: every experiment runs through, and its files say what it was."""

from __future__ import annotations

import re

import pytest
import shelf
from shelf import Everything

from calque.paper.published import published
from calque.paper.reproduce import EXPERIMENTS

TABLES = [name for name in EXPERIMENTS if name.startswith("table")]
DRAWN = ("table1", "table4", "figure1")


def markdown_rows(text: str) -> list[list[str]]:
    lines = [line for line in text.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines]


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_each_experiment_leaves_its_files(everything: Everything, name: str) -> None:
    found = {path.name for path in everything.out.glob(f"{name}.*")}
    endings = ("md", "json", "png", "svg") if name in DRAWN else ("md", "json")
    assert found == {f"{name}.{ending}" for ending in endings}
    assert everything.json(name)["pictures"] == ([f"{name}.png", f"{name}.svg"] if name in DRAWN else [])


def test_nothing_else_is_left_but_samples_and_scores(everything: Everything) -> None:
    assert {path.name for path in everything.out.iterdir() if path.is_dir()} == {"corpora", "models", "scores"}
    assert list((everything.out / "models").iterdir()) == []
    assert not [path for path in everything.out.rglob("*") if path.name.startswith(".")]


def test_nothing_is_trained_twice(everything: Everything) -> None:
    """Table 5 and figure 1 are of the same models."""
    all_of_them = 12 + 20 + 7 + 3 + 2 * 3
    told = [re.fullmatch(rf"(.+): training (\d+) of {all_of_them}(, .+ left)?", line) for line in everything.said]
    names, places, left = zip(*(line.groups() for line in told if line), strict=True)
    assert len(set(names)) == all_of_them
    assert places == tuple(map(str, range(1, all_of_them + 1)))
    assert [bool(each) for each in left] == [False] + [True] * (all_of_them - 1), "the first has nothing to go by"


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_markdown_has_as_many_cells_in_every_row(everything: Everything, name: str) -> None:
    header, rule, *rows = markdown_rows(everything.markdown(name))
    described = everything.json(name)
    assert header[-len(described["columns"]) :] == described["columns"]
    assert set(rule) <= {"---", "---:"}
    assert {len(row) for row in [rule, *rows]} == {len(header)}
    assert [row[0] for row in rows] == [row["label"] for row in described["rows"]]


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_markdown_shows_notes_pictures_and_how_it_was_made(everything: Everything, name: str) -> None:
    written, described = everything.markdown(name), everything.json(name)
    assert all(f"\n- {note}\n" in written for note in described["notes"])
    assert (f"]({name}.png)" in written) == (name in DRAWN)
    assert re.search(rf"\nMade by `calque reproduce {name} --data DIR --scale tiny` on \d+ cores of .+\.\n$", written)
    assert described["command"] == f"calque reproduce {name} --data DIR --scale tiny"
    assert "\n\n\n" not in written


@pytest.mark.parametrize("name", TABLES)
def test_a_cell_is_ours_with_the_papers_in_brackets(everything: Everything, name: str) -> None:
    described = everything.json(name)
    _, _, *rows = markdown_rows(everything.markdown(name))
    digits = 0 if name == "table4" else 1
    seen = set()
    for cells, row in zip(rows, described["rows"], strict=True):
        for column, cell in zip(described["columns"], cells[-len(described["columns"]) :], strict=True):
            ours, theirs = row["ours"].get(column), row["published"].get(column)
            words = [f"{ours['value']:,.{digits}f}"] if ours else []
            assert cell == " ".join([*words, *([f"({theirs:,.{digits}f})"] if theirs is not None else [])])
            seen.add((ours is not None, theirs is not None))
    assert (True, True) in seen


@pytest.mark.parametrize("name", TABLES)
def test_every_published_figure_is_there(everything: Everything, name: str) -> None:
    rows = everything.json(name)["rows"]
    for paper in published(name).rows:
        same = [row for row in rows if row["label"] == paper.label]
        assert any(paper.values.items() <= row["published"].items() for row in same), paper.label


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_every_measured_score_carries_its_signature(everything: Everything, name: str) -> None:
    written = everything.markdown(name)
    for row in everything.json(name)["rows"]:
        for column, score in row["ours"].items():
            if name == "figure1" and not column.startswith("STS"):
                continue  # counted or looked up, not measured
            value = f"{score['value']:.1f}"
            assert re.fullmatch(rf"\w+={value} \| \S+\|n:\d+\|\S+\|v:\S+", score["signature"])
            assert "|seed:1|" in score["signature"] or row["details"].get("with") == "model2vec"
            interval = f" [{score['low']:.1f}, {score['high']:.1f}]" if score["low"] is not None else ""
            assert f"- `{score['signature'].replace(' | ', f'{interval} | ', 1)}`\n" in written


def test_a_signature_names_the_corpus_and_the_size_that_the_text_supports(everything: Everything) -> None:
    rows = {row["label"]: row for row in everything.json("table2")["rows"] if row["details"].get("data") == "OS"}
    signature = rows["SP (80k)"]["ours"]["ar-en"]["signature"]
    assert "|data:tatoeba.en-ar:300|" in signature
    found = re.search(r"\|sp:(\d+)\|", signature)
    assert found
    assert 200 < int(found[1]) < 80_000


def test_notes_say_what_stands_in_for_what(everything: Everything) -> None:
    notes = {name: everything.json(name)["notes"] for name in EXPERIMENTS}
    assert "tatoeba and tatoeba-shared-translation stand in for ParaNMT, which is not at hand." in notes["table1"]
    assert "tatoeba and libreoffice stand in for CzEng, which is not at hand." in notes["table1"]
    for name in ("table2", "table5", "figure1"):
        assert "tatoeba and tatoeba-pivot stand in for OpenSubtitles, which is not at hand." in notes[name]
    assert not [note for name in ("table3", "table4") for note in notes[name] if "stand" in note]


def test_table1_trains_on_twice_the_bitext_in_its_last_column(everything: Everything) -> None:
    for row in everything.json("table1")["rows"]:
        pairs = 60 if row["label"].startswith("BLSTM") else 300
        assert row["details"] == {"pairs": str(pairs), "epochs": "1"}
        sizes = {
            column: int(score["signature"].split(":")[-4].partition("|")[0]) for column, score in row["ours"].items()
        }
        assert sizes == {"en-en": pairs, "en-cs(1M)": pairs, "en-cs(2M)": 2 * pairs}


def test_table2_leaves_rows_of_the_literature_to_the_paper(everything: Everything) -> None:
    rows = {row["label"]: row for row in everything.json("table2")["rows"]}
    assert not rows["2017 STS 1st Place"]["ours"]
    assert set(rows["Random Trigram"]["ours"]) == set(published("table2").columns)
    europarl = [row for row in everything.json("table2")["rows"] if row["details"].get("data") == "EP" and row["ours"]]
    assert [set(row["ours"]) for row in europarl] == [{"es-es", "es-en", "en-en"}] * 2


def test_table3_says_which_split_and_whose_threshold(everything: Everything) -> None:
    notes = everything.json("table3")["notes"]
    assert "en-de: BUCC's sample split; threshold: oracle: best on this very set." in notes
    assert "en-fr: no BUCC data at hand." in notes
    ours = [row["ours"] for row in everything.json("table3")["rows"]]
    assert [set(each) for each in ours] == [set()] + [{"en-de"}] * 7 * 3


def test_table4_measures_other_libraries_on_the_same_folder(everything: Everything) -> None:
    described = everything.json("table4")
    measured = [(row["details"]["dimension"], row["details"]["with"]) for row in described["rows"] if row["ours"]]
    assert measured == [
        ("300", "Calque"),
        ("300", "model2vec"),
        ("1024", "Calque"),
        ("1024", "model2vec"),
        ("300", "Calque"),
    ]
    assert all(row["ours"]["Sentences/Sec."]["value"] > 0 for row in described["rows"] if row["ours"])
    assert "GPU" not in described["title"]


def test_the_figure_lists_its_languages_best_first(everything: Everything) -> None:
    rows = everything.json("figure1")["rows"]
    assert sorted(row["label"] for row in rows) == ["de", "es", "fr"]
    scores = [row["ours"]["STS"]["value"] for row in rows]
    assert scores == sorted(scores, reverse=True)
    assert "in brackets.\n" not in everything.markdown("figure1"), "nothing there is the paper's"


def test_pictures_are_pictures(everything: Everything) -> None:
    for name in DRAWN:
        assert (everything.out / f"{name}.png").read_bytes().startswith(b"\x89PNG")
        assert "<svg" in (everything.out / f"{name}.svg").read_text(encoding="utf-8")[:1000]


def test_the_scale_is_the_test_s(everything: Everything) -> None:
    assert f"{shelf.TINY.languages} languages, 200 pairs each" in everything.json("table5")["notes"][0]
