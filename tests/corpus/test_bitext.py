"""Sentence pairs from a TSV file or from two parallel files."""

from __future__ import annotations

import lzma
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calque.corpus import Bitext, Pair
from calque.errors import CorpusError

PAIRS = [Pair("A dog runs.", "Un perro corre."), Pair("Rain falls.", "Llueve."), Pair("Yes.", "Sí.")]


def write(path: Path, *lines: str) -> str:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return str(path)


def test_a_tsv_gives_its_pairs(tmp_path: Path) -> None:
    path = write(tmp_path / "text.tsv", *("\t".join(pair) for pair in PAIRS))
    assert list(Bitext((path,)).pairs()) == PAIRS


def test_two_parallel_files_give_their_pairs(tmp_path: Path) -> None:
    one = write(tmp_path / "text.en", *(pair.source for pair in PAIRS))
    two = write(tmp_path / "text.es", *(pair.target for pair in PAIRS))
    assert list(Bitext((one, two)).pairs()) == PAIRS


def test_parallel_files_need_not_be_compressed_alike(tmp_path: Path) -> None:
    one = write(tmp_path / "text.en", *(pair.source for pair in PAIRS))
    two = tmp_path / "text.es.xz"
    two.write_bytes(lzma.compress("".join(f"{pair.target}\n" for pair in PAIRS).encode()))
    assert list(Bitext((one, str(two))).pairs()) == PAIRS


def test_a_bitext_can_be_read_again(tmp_path: Path) -> None:
    bitext = Bitext((write(tmp_path / "text.tsv", "a\tb"),))
    assert list(bitext.pairs()) == list(bitext.pairs()) == [Pair("a", "b")]


def test_pairs_with_an_empty_side_are_left_out(tmp_path: Path) -> None:
    path = write(tmp_path / "text.tsv", "a\tb", "\tb", "a\t", " \t\u00a0", "c\td")
    assert list(Bitext((path,)).pairs()) == [Pair("a", "b"), Pair("c", "d")]


def test_empty_lines_of_parallel_files_are_left_out_and_still_counted(tmp_path: Path) -> None:
    one, two = write(tmp_path / "one", "a", "", "c"), write(tmp_path / "two", "x", "y", "z")
    assert list(Bitext((one, two)).pairs()) == [Pair("a", "x"), Pair("c", "z")]


def test_text_is_not_trimmed(tmp_path: Path) -> None:
    path = write(tmp_path / "text.tsv", " a \tb\u3000")
    assert list(Bitext((path,)).pairs()) == [Pair(" a ", "b\u3000")]


def test_a_third_column_is_an_error_with_its_line_and_a_way_out(tmp_path: Path) -> None:
    path = write(tmp_path / "text.tsv", "a\tb", "c\td", "e\tf\t0.7")
    with pytest.raises(CorpusError) as problem:
        list(Bitext((path,)).pairs())
    assert problem.value.message == f"{path}, line 3: expected 2 columns, got 3"
    assert "--columns 1,2" in str(problem.value.hint)


def test_a_line_without_a_tab_is_an_error_with_its_line(tmp_path: Path) -> None:
    path = write(tmp_path / "text.tsv", "a\tb", "no tab here")
    with pytest.raises(CorpusError) as problem:
        list(Bitext((path,)).pairs())
    assert problem.value.message == f"{path}, line 2: expected 2 columns, got 1"
    assert "tab" in str(problem.value.hint)


def test_an_empty_line_of_a_tsv_is_an_error_with_its_line(tmp_path: Path) -> None:
    path = write(tmp_path / "text.tsv", "a\tb", "", "c\td")
    with pytest.raises(CorpusError, match="line 2: expected 2 columns, got 1"):
        list(Bitext((path,)).pairs())


@pytest.mark.parametrize(("columns", "pair"), [((1, 2), "ab"), ((2, 1), "ba"), ((2, 4), "bd"), ((4, 3), "dc")])
def test_columns_choose_source_and_target(tmp_path: Path, columns: tuple[int, int], pair: str) -> None:
    path = write(tmp_path / "text.tsv", "a\tb\tc\td")
    assert list(Bitext((path,), columns=columns).pairs()) == [Pair(*pair)]


def test_columns_allow_lines_of_different_width(tmp_path: Path) -> None:
    path = write(tmp_path / "text.tsv", "a\tb\tc", "d\te")
    assert list(Bitext((path,), columns=(1, 2)).pairs()) == [Pair("a", "b"), Pair("d", "e")]


def test_a_column_that_is_not_there_is_an_error_with_its_line(tmp_path: Path) -> None:
    path = write(tmp_path / "text.tsv", "a\tb\tc", "d\te")
    with pytest.raises(CorpusError, match="line 2: no column 3, only 2"):
        list(Bitext((path,), columns=(3, 1)).pairs())


@pytest.mark.parametrize("short_first", [True, False])
def test_unequal_files_name_the_shorter_one_and_count_the_lines_of_both(tmp_path: Path, short_first: bool) -> None:
    short, long = write(tmp_path / "short.en", "a", "b"), write(tmp_path / "long.es", "x", "y", "z")
    with pytest.raises(CorpusError) as problem:
        list(Bitext((short, long) if short_first else (long, short)).pairs())
    assert problem.value.message == f"{short} has 2 lines, but {long} has 3"
    assert "line n of one translates line n of the other" in str(problem.value.hint)


def test_an_empty_file_beside_a_full_one_is_the_shorter(tmp_path: Path) -> None:
    short, long = write(tmp_path / "short.en"), write(tmp_path / "long.es", "x")
    with pytest.raises(CorpusError, match=r"short\.en has 0 lines, but .*long\.es has 1"):
        list(Bitext((short, long)).pairs())


cells = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\n\t\r\ufeff"), max_size=8)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("bitext")


@given(st.lists(st.tuples(cells.map(lambda cell: f"s{cell}"), cells)))
def test_a_tsv_and_parallel_files_say_the_same(folder: Path, rows: list[tuple[str, str]]) -> None:
    tsv = write(folder / "text.tsv", *("\t".join(row) for row in rows))
    one, two = write(folder / "one", *(row[0] for row in rows)), write(folder / "two", *(row[1] for row in rows))
    expected = [Pair(*row) for row in rows if row[1].strip()]
    assert list(Bitext((tsv,)).pairs()) == list(Bitext((one, two)).pairs()) == expected


@pytest.mark.parametrize(
    ("paths", "languages", "name"),
    [
        (("data/europarl.en-es.tsv.xz",), ("en", "es"), "europarl.en-es"),
        (("plain.tsv",), None, "plain"),
        (("data/corpus.en", "data/corpus.es"), ("en", "es"), "corpus.en-es"),
        (("corpus.en.gz", "corpus.es.gz"), ("en", "es"), "corpus.en-es"),
        (("one.txt", "two.txt"), None, "one"),
    ],
)
def test_a_bitext_is_called_after_its_file(
    paths: tuple[str, ...], languages: tuple[str, str] | None, name: str
) -> None:
    assert Bitext(paths, languages).name == name
