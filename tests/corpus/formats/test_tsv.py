"""TSV: headers, blocks of a long file, and what is written."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reading import error_of, read, read_back, written

from calque.corpus import Columns, Pair, find_bitexts
from calque.corpus.formats.moses import read_parallel, write_parallel
from calque.errors import CorpusError


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "text.tsv"


def test_a_header_of_usual_names_is_one(path: Path) -> None:
    assert read(path, "id\ttarget\tsource\n1\tperro\tdog\n").pairs == [("dog", "perro")]


@pytest.mark.parametrize("header", ["source\ttarget", "src\ttgt"])
def test_a_name_that_tells_languages_leaves_a_header_a_header(tmp_path: Path, header: str) -> None:
    assert read(tmp_path / "text.en-es.tsv", f"{header}\ndog\tperro\n") == (("en", "es"), [("dog", "perro")])


def test_codes_are_a_header_if_they_are_asked_for(path: Path) -> None:
    content = "en\tde\tes\ndog\tHund\tperro\n"
    assert read(path, content, ("spa", "eng")) == (("es", "en"), [("perro", "dog")])
    assert read(path, content, columns=("es", "en")) == (("es", "en"), [("perro", "dog")])


def test_codes_that_nobody_asked_for_are_a_pair(path: Path) -> None:
    assert read(path, "en\tes\ndog\tperro\n") == (None, [("en", "es"), ("dog", "perro")])


def test_more_columns_than_two_need_a_word(path: Path) -> None:
    problem = error_of(path, "dog\tperro\t0.5\n", ("en", "es"))
    assert problem.message == f"{path}, line 1: 3 columns, and no header that names en and es"
    assert "--columns 1,2" in str(problem.hint)


def test_a_header_that_is_asked_for_and_not_there_is_an_error(path: Path) -> None:
    problem = error_of(path, "dog\tperro\n", columns=("en", "es"))
    assert problem.message == f"{path}, line 1: no column 'en' among dog, perro"


@pytest.mark.parametrize("count", [0, 1, 1023, 1024, 1025, 5000])
def test_all_rows_behind_a_header_come(path: Path, count: int) -> None:
    rows = [(f"dog {number}", f"perro {number}") for number in range(count)]
    assert read(path, b"source\ttarget\n" + written("tsv", rows)).pairs == rows


def test_a_file_of_many_blocks_is_read_whole(path: Path) -> None:
    rows = [(f"A dog {number} ñ" * (number % 7), f"{number} 犬" * (number % 5)) for number in range(120_000)]
    content = written("tsv", rows)
    assert len(content) > 3 << 21
    assert read(path, content).pairs == rows


def test_the_line_of_an_error_counts_all_blocks(path: Path) -> None:
    content = "A dog runs.\tUn perro corre.\n" * 200_000
    assert error_of(path, f"{content}no tab\n").message == f"{path}, line 200001: expected 2 columns, got 1"
    assert error_of(path, content.encode() + b"a\t\xff\n").message.startswith(f"{path}, line 200001: not UTF-8")


def test_lines_longer_than_a_block_are_read(path: Path) -> None:
    rows = [("a", "b"), ("é" * 3_000_000, "c" * 3_000_000), ("d", "e")]
    assert read(path, written("tsv", rows)).pairs == rows


def test_a_line_without_end_is_an_error_and_not_all_memory(tmp_path: Path) -> None:
    path = tmp_path / "text.tsv"
    with open(path, "wb") as file:
        file.write(b"a\tb\n")
        file.truncate(300 << 20)  # zeros that take no room on disk
    (bitext,) = find_bitexts([str(path)])
    with pytest.raises(CorpusError, match="a line of more than 64 MB"):
        list(bitext.batches())


def test_utf16_is_an_error_that_says_so(path: Path) -> None:
    problem = error_of(path, "a\tb\n".encode("utf-16"))
    assert problem.message == f"{path}, line 1: UTF-16, not UTF-8"
    assert "iconv -f utf-16" in str(problem.hint)


def test_columns_that_are_not_chosen_may_hold_anything(path: Path) -> None:
    assert read(path, b"x\ta\tb\n\xff\tc\td\n", columns=(2, 3)).pairs == [("a", "b"), ("c", "d")]


@pytest.mark.parametrize("columns", [(1, 2), (2, 1)])
def test_pairs_are_pairs(path: Path, columns: Columns) -> None:
    (pair,) = read(path, "a\tb\n", columns=columns).pairs
    assert type(pair) is Pair
    assert pair._asdict() == {"source": pair.source, "target": pair.target}


texts = st.text(st.one_of(st.sampled_from("\t\n\r a"), st.characters(exclude_categories=[])), max_size=12)


def plain(text: str) -> str:
    return text.translate(str.maketrans("\t\n\r", "   ")).encode("utf-8", "replace").decode()


@given(st.lists(st.tuples(texts.map(lambda text: f"s{text}"), texts)))
def test_what_is_written_comes_back_but_for_tabs_breaks_and_halves_of_surrogate_pairs(
    rows: list[tuple[str, str]],
) -> None:
    expected = [(plain(source), plain(target)) for source, target in rows]
    assert read_back("tsv", written("tsv", rows)).pairs == expected


@given(st.lists(st.tuples(texts.map(lambda text: f"s{text}"), texts.map(lambda text: f"t{text}"))))
def test_parallel_files_that_are_written_come_back_alike(rows: list[tuple[str, str]]) -> None:
    one, two = io.BytesIO(), io.BytesIO()
    write_parallel(one, two, [[Pair(*row) for row in rows]])
    files = [io.BufferedReader(io.BytesIO(file.getvalue())) for file in (one, two)]  # type: ignore[arg-type]
    found = [pair for batch in read_parallel(files[0], files[1], ("one", "two")) for pair in batch]
    breaks = str.maketrans("\n\r", "  ")
    assert found == [tuple(text.translate(breaks).encode("utf-8", "replace").decode() for text in row) for row in rows]


def test_a_header_of_many_languages_says_what_there_is_to_choose_from(tmp_path: Path) -> None:
    path = tmp_path / "many.tsv"
    path.write_text("en\tes\tde\nA dog runs.\tUn perro corre.\tEin Hund läuft.\n", encoding="utf-8")
    with pytest.raises(CorpusError, match="got 3: en, es, de"):
        find_bitexts([str(path)])
    with pytest.raises(CorpusError, match="no column for fr among en, es, de"):
        list(find_bitexts([str(path)], ("en", "fr"))[0].pairs())
