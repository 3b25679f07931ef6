"""Which files of a folder an experiment takes, and what is said when they are missing."""

from __future__ import annotations

import gzip
import lzma
import shutil
from pathlib import Path

import pytest
import shelf
from shelf import Everything

from calque.errors import CalqueError, UsageError
from calque.paper.library import Corpus, Library, stand_in_notes
from calque.paper.reproduce import reproduce


def fails(data: Path, out: Path, name: str, scale: str = shelf.SCALE) -> CalqueError:
    """The error of an experiment that must leave nothing behind."""
    with pytest.raises(CalqueError) as problem:
        list(reproduce(name, data, out, scale=scale))
    assert not out.exists(), "something was written before data was looked for"
    return problem.value


@pytest.mark.parametrize("ending", ["tsv", "tsv.gz", "tsv.xz", "TSV", "txt"])
def test_a_bitext_is_found_compressed_or_not(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"Europarl.en-es.{ending}"
    path.write_bytes(b"")
    assert Library(tmp_path).require("Europarl", "es") == Corpus(("europarl",), ("en", "es"), (path,))


def test_compressed_bitext_gives_the_same_figures(everything: Everything, data: Path, tmp_path: Path) -> None:
    plain = data / "bitext" / "europarl.en-de.tsv"
    Path(f"{plain}.xz").write_bytes(lzma.compress(plain.read_bytes()))
    plain.unlink()
    gold = data / "eval" / "bucc" / "de-en" / "de-en.sample.gold"
    Path(f"{gold}.gz").write_bytes(gzip.compress(gold.read_bytes()))
    gold.unlink()
    (table,) = reproduce("table3", data, tmp_path / "out", scale=shelf.SCALE)
    assert table.as_dict()["rows"] == everything.json("table3")["rows"]


def test_a_flat_folder_does_as_well_as_one_with_bitext_and_eval(everything: Everything, tmp_path: Path) -> None:
    flat = tmp_path / "flat"
    shutil.copytree(everything.data / "bitext", flat)
    shutil.copytree(everything.data / "eval", flat, dirs_exist_ok=True)
    (table,) = reproduce("table3", flat, tmp_path / "out", scale=shelf.SCALE)
    assert table.as_dict()["rows"] == everything.json("table3")["rows"]


def test_the_papers_own_corpus_is_preferred_and_then_nothing_stands_in(data: Path, tmp_path: Path) -> None:
    own = {"opensubtitles.en-de": "tatoeba.en-de", "opensubtitles.en-es": "tatoeba.en-es"}
    own |= {"czeng.en-cs": "tatoeba.en-cs", "paranmt.en-en": "tatoeba.en-en", "opensubtitles.en-ar": "tatoeba.en-ar"}
    own |= {"opensubtitles.en-tr": "tatoeba.en-tr"}
    for name, like in own.items():
        shutil.copy(data / "bitext" / f"{like}.tsv", data / "bitext" / f"{name}.tsv")
    library = Library(data)
    assert library.require("ParaNMT", "en", ("tatoeba",)).name == "paranmt.en-en"
    assert library.require("CzEng", "cs", ("tatoeba", "libreoffice")).sources == ("czeng",)
    for name in ("table2", "table5"):
        (table,) = reproduce(name, data, tmp_path / "out", scale=shelf.SCALE)
        assert not [note for note in table.notes if "stand" in note]
        signatures = [score.signature for row in table.rows for score in row.ours.values()]
        assert name == "table5" or any("|data:opensubtitles.en-es:300|" in each for each in signatures)
        assert not any("tatoeba" in each for each in signatures)


def test_stand_ins_are_named_once() -> None:
    def corpus(sources: tuple[str, ...], language: str, stands_for: str = "OpenSubtitles") -> Corpus:
        return Corpus(sources, ("en", language), (), stands_for)

    assert stand_in_notes([corpus(("tatoeba",), "es")]) == [
        "tatoeba stands in for OpenSubtitles, which is not at hand."
    ]
    assert stand_in_notes([corpus(("tatoeba", "pivot"), "ar"), corpus(("tatoeba",), "el")]) == [
        "tatoeba and pivot stand in for OpenSubtitles, which is not at hand."
    ]
    assert stand_in_notes([corpus(("europarl",), "es", "")]) == []


def test_other_files_are_no_bitext(tmp_path: Path) -> None:
    for name in (
        "README.md",
        "COUNTS.tsv",
        "sts17.en-en.tsv",
        ".europarl.en-es.tsv",
        "europarl.es-de.tsv",
        "en-dev.tsv",
    ):
        (tmp_path / name).write_text("")
    (tmp_path / "europarl.en-fr.tsv").mkdir()
    library = Library(tmp_path)
    assert library.languages(("europarl", "tatoeba", "readme", "counts", "sts17")) == []


@pytest.mark.parametrize("given", ["nowhere", "file"])
def test_a_missing_folder(tmp_path: Path, given: str) -> None:
    (tmp_path / "file").write_text("")
    problem = fails(tmp_path / given, tmp_path / "out", "table1")
    assert isinstance(problem, UsageError)
    assert problem.message == f"there is no folder {tmp_path / given}"
    assert problem.hint == "--data is the folder with bitext/ and eval/"


@pytest.mark.parametrize(
    ("name", "missing", "message"),
    [
        ("table1", "bitext/*.en-en.tsv", "no bitext paranmt.en-en.tsv or tatoeba.en-en.tsv or"),
        ("table1", "bitext/*.en-cs.tsv", "no bitext czeng.en-cs.tsv or tatoeba.en-cs.tsv or"),
        ("table1", "eval/sts/*/*", "no files of the suite sts: looked for"),
        ("table1", "eval/sts17/*", "no files of the suite sts17: looked for"),
        ("table1", "eval/sts17/track5*", "no track5.en-en of STS 2017, by which the epoch to keep is chosen"),
        ("table2", "bitext/europarl.en-es.tsv", "no bitext europarl.en-es.tsv, compressed or not"),
        ("table2", "eval/sts17/*", "no files of the suite sts17: looked for"),
        ("table3", "eval/bucc/*/*", "no files of the suite bucc: looked for de-en.training.gold"),
        ("table3", "bitext/europarl.en-de.tsv", "no bitext europarl.en-de.tsv, compressed or not"),
        ("table4", "bitext/europarl.en-es.tsv", "no bitext europarl.en-es.tsv, compressed or not"),
        ("table5", "eval/sts/*/*", "no files of the suite sts: looked for"),
        ("table5", "bitext/tatoeba*", "no bitext opensubtitles.en-XX.tsv or tatoeba.en-XX.tsv has the 200 pairs"),
        ("figure1", "eval/sts17/track5*", "no track5.en-en of STS 2017"),
        ("all", "eval/bucc/*/*", "no files of the suite bucc: looked for"),
        ("all", "bitext/europarl*", "no bitext europarl.en-es.tsv, compressed or not"),
    ],
)
def test_missing_data_is_an_error_before_anything_is_trained(
    data: Path, tmp_path: Path, name: str, missing: str, message: str
) -> None:
    for path in data.glob(missing):
        path.unlink()
    problem = fails(data, tmp_path / "out", name)
    assert isinstance(problem, UsageError)
    assert message in problem.message
    assert problem.hint


def test_mining_needs_german_or_french(data: Path, tmp_path: Path) -> None:
    folder = data / "eval" / "bucc" / "de-en"
    for path in list(folder.iterdir()):
        renamed = path.name.replace("de-en.sample", "ru-en.sample").replace("sample.de", "sample.ru")
        path.rename(folder / renamed)
    problem = fails(data, tmp_path / "out", "table3")
    assert "table3 needs BUCC's de-en or fr-en, got ru-en" in problem.message


def test_too_few_pairs_for_the_language_study(data: Path, tmp_path: Path) -> None:
    problem = fails(data, tmp_path / "out", "table5", scale="9_000")
    assert "has the 9,000 pairs of English and another language that this scale takes" in problem.message
    assert problem.hint
    assert "a smaller --scale takes fewer" in problem.hint


def test_a_broken_bitext_or_set_is_an_error_with_its_line(data: Path, tmp_path: Path) -> None:
    (data / "eval" / "sts" / "2012" / "images.tsv").write_text("high\ta\tb\n")
    assert "images.tsv, line 1: expected a number" in fails(data, tmp_path / "out", "table5").message


def test_tracks_or_languages_that_are_missing_leave_cells_empty(data: Path, tmp_path: Path) -> None:
    (data / "eval" / "sts17" / "track1.ar-ar.tsv").unlink()
    (data / "eval" / "sts17" / "track4a.es-en.tsv").unlink()
    (data / "bitext" / "tatoeba.en-tr.tsv").unlink()
    said: list[str] = []
    (table,) = reproduce("table2", data, tmp_path / "out", scale=shelf.SCALE, say=said.append)
    assert set(table.rows[0].ours) == {"ar-en", "es-es", "en-en"}
    assert "No bitext or no evaluation set at hand for ar-ar, es-en, tr-en." in table.notes
    assert not [line for line in said if " tr: " in line]


def test_one_set_alone_is_its_own_mean(data: Path, tmp_path: Path) -> None:
    for path in (data / "eval" / "sts").glob("*/*"):
        if path.name != "images.tsv" or path.parent.name != "2012":
            path.unlink()
    (table,) = reproduce("table5", data, tmp_path / "out", scale=shelf.SCALE)
    assert table.rows[0].ours


def test_a_training_split_gives_the_threshold_and_is_not_reported(data: Path, tmp_path: Path) -> None:
    shelf.mining(data / "eval" / "bucc" / "de-en", "training")
    (table,) = reproduce("table3", data, tmp_path / "out", scale=shelf.SCALE)
    assert "en-de: BUCC's sample split; threshold: de-en.training." in table.notes
    assert all("bucc:de-en.sample:" in row.ours["en-de"].signature for row in table.rows[1:])
