"""CSV: quoting, the separator, and headers."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reading import error_of, read, read_back, written

from calque.corpus import Columns, Pair, find_bitexts


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "text.csv"


@pytest.mark.parametrize(
    ("content", "pairs"),
    [
        ("a,b\n", [("a", "b")]),
        ("a,b", [("a", "b")]),
        ("a,b\r\nc,d\r\n", [("a", "b"), ("c", "d")]),
        ("a,b\rc,d\r", [("a", "b"), ("c", "d")]),
        ("\n\na,b\n\n\nc,d\n\n", [("a", "b"), ("c", "d")]),
        ('"a, b","c"\n', [("a, b", "c")]),
        ('"He said ""no"".","Dijo ""no""."\n', [('He said "no".', 'Dijo "no".')]),
        ('"one\ntwo","uno\r\ndos"\nx,y\n', [("one\ntwo", "uno\r\ndos"), ("x", "y")]),
        ('"",b\n,d\n', [("", "b"), ("", "d")]),
        ('5" disk,disco de 5"\n', [('5" disk', 'disco de 5"')]),
        ("\ufeffa,b\n", [("a", "b")]),
        (" a , b \n", [(" a ", " b ")]),
        ("one\u2028two,b\n", [("one\u2028two", "b")]),
    ],
)
def test_records_are_read_as_rfc_4180_says(path: Path, content: str, pairs: list[tuple[str, str]]) -> None:
    assert read(path, content).pairs == pairs


@pytest.mark.parametrize(
    ("content", "pairs"),
    [
        ("a;b\n", [("a", "b")]),
        ('"Yes; no","Sí; no"\n', [("Yes; no", "Sí; no")]),
        ('"Yes, sir";"Sí, señor"\nNo, sir;No, señor\n', [("Yes, sir", "Sí, señor"), ("No, sir", "No, señor")]),
        ("Yes, sir, yes;Sí\n", [("Yes, sir, yes", "Sí")]),
        ("Sí; claro; sí,Yes\n", [("Sí; claro; sí", "Yes")]),
        ("source;target\nYes, sir;Sí, señor\n", [("Yes, sir", "Sí, señor")]),
        ("target;notes, old;source\nSí;;Yes, sir\n", [("Yes, sir", "Sí")]),
    ],
)
def test_the_first_record_says_what_separates(path: Path, content: str, pairs: list[tuple[str, str]]) -> None:
    assert read(path, content).pairs == pairs


def test_a_separator_that_could_be_either_is_not_guessed(path: Path) -> None:
    problem = error_of(path, "Yes, sir;Sí\nNo;No\n")
    assert problem.message == f"{path}, line 1: commas and semicolons, and either may separate the columns"
    assert "source;target" in str(problem.hint)


def test_one_column_is_an_error(path: Path) -> None:
    assert error_of(path, "\nonly this\n").message == f"{path}, line 2: expected two columns, got one"


@pytest.mark.parametrize(
    ("header", "languages", "told"),
    [
        ("source,target", (), None),
        ("Source,Target", (), None),
        ("src,tgt", (), None),
        ("en,es", (), ("en", "es")),
        ("en_GB,pt-BR", (), ("en-GB", "pt-BR")),
        ("eng,spa", (), ("en", "es")),
        ("eng,spa", ("en", "es"), ("en", "es")),
        ('"en","es"', (), ("en", "es")),
        ("source,target", ("en", "es"), ("en", "es")),
    ],
)
def test_a_header_is_known(path: Path, header: str, languages: tuple[str, ...], told: tuple[str, str] | None) -> None:
    assert read(path, f"{header}\na,b\n", languages) == (told, [("a", "b")])


@pytest.mark.parametrize("first", ["the,el", "en,en", "dog,perro", "English,Spanish", "xx,yy", "en,e"])
def test_other_first_records_are_pairs(path: Path, first: str) -> None:
    assert read(path, f"{first}\na,b\n").pairs == [tuple(first.split(",")), ("a", "b")]


def test_a_name_that_tells_languages_leaves_a_header_a_header(tmp_path: Path) -> None:
    assert read(tmp_path / "text.en-es.csv", "source,target\na,b\n") == (("en", "es"), [("a", "b")])


@pytest.mark.parametrize(
    ("columns", "languages"),
    [(("en", "es"), ()), (("English", "es"), ()), ((3, 2), ()), ((3, "es"), ()), (None, ("en", "es"))],
)
def test_columns_are_chosen_by_name_number_or_language(
    path: Path, columns: Columns | None, languages: tuple[str, ...]
) -> None:
    content = "id,es,en,English\n1,perro,dog,dog\n"
    assert read(path, content, languages, columns).pairs == [("dog", "perro")]


def test_languages_choose_the_order(path: Path) -> None:
    assert read(path, "en,es\ndog,perro\n", ("es", "en")) == (("es", "en"), [("perro", "dog")])


def test_columns_without_a_header_are_numbers(path: Path) -> None:
    assert read(path, "1,dog,perro\n2,cat,gato\n", columns=(2, 3)).pairs == [("dog", "perro"), ("cat", "gato")]


def test_a_language_that_no_column_has_is_an_error(path: Path) -> None:
    problem = error_of(path, "en,es\ndog,perro\n", ("en", "fr"))
    assert problem.message == f"{path}, line 1: no column for fr among en, es"


def test_many_columns_and_no_word_which_is_an_error(path: Path) -> None:
    assert error_of(path, "en,es,de\na,b,c\n").message == f"{path}, line 1: expected two columns, got 3: en, es, de"


@pytest.mark.parametrize(
    ("content", "columns", "message"),
    [
        ("a,b\nc,d,e\n", None, "line 2: expected 2 columns, got 3"),
        ("a,b\nc\n", None, "line 2: expected 2 columns, got 1"),
        ('"a\n\n",b\nc\n', None, "line 4: expected 2 columns, got 1"),
        ("source,target\n1,2\nc\n", None, "line 3: no column 2, only 1"),
        ("a,b,c\nd,e\n", (1, 3), "line 2: no column 3, only 2"),
        ('a,b\n"c"d,e\n', None, "line 2: ',' expected after '\"'"),
    ],
)
def test_a_record_that_does_not_fit_is_named_by_its_line(
    path: Path, content: str, columns: Columns | None, message: str
) -> None:
    assert error_of(path, content, columns=columns).message == f"{path}, {message}"


@pytest.mark.parametrize("lines", [0, 3, 3000, 300_000])
def test_a_quote_that_never_closes_is_named_where_it_opens(path: Path, lines: int) -> None:
    problem = error_of(path, 'a,b\n"x\ny","z\n' + "c,d\n" * lines)
    assert problem.message.startswith(f"{path}, line 3: a quote opens and is not closed (")


def test_a_record_without_end_is_an_error(path: Path) -> None:
    problem = error_of(path, "a,b\n" + '"\n",' * 500_000)
    assert problem.message.startswith(f"{path}, line ")
    assert "more than 1,048,576 characters" in problem.message


def test_pairs_before_an_error_are_given(path: Path) -> None:
    path.write_text("a,b\nc,d\ne\n")
    batches = find_bitexts([str(path)])[0].batches()
    assert next(batches) == [Pair("a", "b"), Pair("c", "d")]


def test_bytes_that_are_not_utf8_are_named_with_line_and_place(path: Path) -> None:
    problem = error_of(path, b'a,b\n"c\n",d\nf\xfcr,e\n')
    assert problem.message == f"{path}, line 4: not UTF-8 (byte 0xfc at position 2)"
    assert "iconv" in str(problem.hint)


@pytest.mark.parametrize("before", ["", "\n" * 3_000_000])
def test_bad_bytes_on_the_first_line_are_named_too(path: Path, before: str) -> None:
    problem = error_of(path, before.encode() + b"\xe9,b\nc,d\n")
    assert problem.message == f"{path}, line {len(before) + 1}: not UTF-8 (byte 0xe9 at position 1)"


def test_empty_lines_before_the_first_record_are_counted(path: Path) -> None:
    empty = "\n" * 3_000_000
    assert read(path, f"{empty}a,b\n").pairs == [("a", "b")]
    assert error_of(path, f"{empty}a,b\nc\n").message == f"{path}, line 3000002: expected 2 columns, got 1"
    assert error_of(path, f"{empty}a\n").message == f"{path}, line 3000001: expected two columns, got one"


def test_a_file_of_several_blocks_is_read_whole(path: Path) -> None:
    rows = [(f'{number} "dog"', f"{number},\nperro") for number in range(150_000)]
    content = written("csv", rows)
    assert len(content) > 1 << 22
    assert read(path, content).pairs == rows


def test_a_file_of_nothing_but_a_header_has_no_pairs(path: Path) -> None:
    assert read(path, "en,es\n") == (("en", "es"), [])


@pytest.mark.parametrize("content", ["\n\n", "\ufeff", "\r\n"])
def test_a_file_of_nothing_has_no_pairs(path: Path, content: str) -> None:
    assert read(path, content).pairs == []


@pytest.mark.parametrize(
    ("languages", "header"),
    [
        (("en", "es"), "en,es"),
        (("en", "en"), "source,target"),
        (("en", "ber"), "source,target"),
        (None, "source,target"),
    ],
)
def test_the_header_that_is_written_is_one_that_is_known(languages: tuple[str, str] | None, header: str) -> None:
    content = written("csv", [("a", "b")], languages)
    assert content == f"{header}\na,b\n".encode()
    assert read_back("csv", content).pairs == [("a", "b")]


cells = st.text(
    st.one_of(st.sampled_from('",;\r\n\t a'), st.characters(exclude_categories=["Cs"], exclude_characters="\0"))
)


@given(st.lists(st.tuples(cells, cells)), st.sampled_from([None, ("en", "es"), ("es", "zh-CN"), ("en", "en")]))
def test_what_is_written_comes_back(rows: list[tuple[str, str]], languages: tuple[str, str] | None) -> None:
    told = languages if languages and languages[0] != languages[1] else None
    assert read_back("csv", written("csv", rows, languages)) == (told, rows)


@given(st.lists(st.tuples(cells, cells)), st.sampled_from(",;"), st.sampled_from(["\n", "\r\n"]))
def test_what_python_s_csv_writes_is_read(rows: list[tuple[str, str]], separator: str, end: str) -> None:
    file = io.StringIO()
    writer = csv.writer(file, delimiter=separator, lineterminator=end, quoting=csv.QUOTE_ALL)
    writer.writerows([("source", "target"), *rows])
    assert read_back("csv", file.getvalue().encode()).pairs == rows


@given(st.lists(st.tuples(cells, cells)), st.sampled_from(",;"))
def test_what_python_s_csv_reads_is_what_we_write(rows: list[tuple[str, str]], separator: str) -> None:
    text = written("csv", rows).decode()
    assert list(csv.reader(io.StringIO(text, newline="")))[1:] == [list(row) for row in rows]


def test_half_of_a_surrogate_pair_is_written_as_a_question_mark() -> None:
    assert read_back("csv", written("csv", [("a\ud800", "\udfffb")])).pairs == [("a?", "?b")]
