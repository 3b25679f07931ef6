"""Parquet and Arrow: columns of every kind of text, and files that are not whole."""

from __future__ import annotations

import gzip
import io
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reading import error_of, read, read_back, written

from calque.corpus import Columns, find_bitexts
from calque.errors import UsageError

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

Make = Callable[[Any], bytes]


def parquet(table: Any, **options: Any) -> bytes:
    file = io.BytesIO()
    pq.write_table(table, file, **options)
    return file.getvalue()


def arrow_file(table: Any) -> bytes:
    file = io.BytesIO()
    with pa.ipc.new_file(file, table.schema) as writer:
        writer.write_table(table, max_chunksize=2)
    return file.getvalue()


def arrow_stream(table: Any) -> bytes:
    file = io.BytesIO()
    with pa.ipc.new_stream(file, table.schema) as writer:
        writer.write_table(table, max_chunksize=2)
    return file.getvalue()


def feather(table: Any) -> bytes:
    file = io.BytesIO()
    pytest.importorskip("pyarrow.feather").write_feather(table, file)
    return file.getvalue()


each_form = pytest.mark.parametrize("make", [parquet, arrow_file, arrow_stream, feather])

ENGLISH = ["A dog runs.", "", None, "naïve 日本 🙂", "Yes."]
SPANISH = ["Un perro corre.", "x", "Llueve.", None, "Sí."]
PAIRS = [("A dog runs.", "Un perro corre."), ("", "x"), ("", "Llueve."), ("naïve 日本 🙂", ""), ("Yes.", "Sí.")]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "text"


@each_form
def test_two_columns_are_pairs_and_nulls_are_blank(path: Path, make: Make) -> None:
    assert read(path, make(pa.table({"en": ENGLISH, "es": SPANISH}))) == (("en", "es"), PAIRS)


@each_form
@pytest.mark.parametrize(
    "kind",
    ["string", "large_string", "string_view", "binary", "large_binary", "binary_view", "dictionary", "null"],
)
def test_text_may_be_stored_in_many_ways(path: Path, make: Make, kind: str) -> None:
    column = pa.array(ENGLISH)
    if kind == "dictionary":
        column = column.dictionary_encode()
    elif kind == "null":
        column = pa.nulls(len(ENGLISH))
    else:
        column = pa.array([text and text.encode() for text in ENGLISH], pa.binary()).cast(getattr(pa, kind)())
    expected = [("" if kind == "null" else source, target) for source, target in PAIRS]
    assert read(path, make(pa.table({"en": column, "es": SPANISH}))).pairs == expected


@each_form
def test_a_translation_of_hugging_face_is_read(path: Path, make: Make) -> None:
    rows = [{"en": source, "es": target} for source, target in zip(ENGLISH, SPANISH, strict=True)]
    content = make(pa.table({"id": [1, 2, 3, 4, 5, 6], "translation": [*rows, None]}))
    assert read(path, content) == (("en", "es"), [*PAIRS, ("", "")])
    assert read(path, content, ("spa", "eng")) == (("es", "en"), [(two, one) for one, two in [*PAIRS, ("", "")]])


@each_form
def test_columns_that_hold_no_text_are_passed_over(path: Path, make: Make) -> None:
    table = pa.table({"id": range(5), "en": ENGLISH, "score": [0.5] * 5, "es": SPANISH, "words": [["a"]] * 5})
    assert read(path, make(table)) == (("en", "es"), PAIRS)


@each_form
@pytest.mark.parametrize(
    ("columns", "languages"), [((3, 2), ()), (("english", "spanish"), ()), (("english", 2), ()), (None, ("en", "es"))]
)
def test_columns_are_chosen(path: Path, make: Make, columns: Columns | None, languages: tuple[str, ...]) -> None:
    names = ["id", "es", "en"] if columns is None else ["id", "spanish", "english"]
    table = pa.table([["x"] * 5, SPANISH, ENGLISH], names)
    assert read(path, make(table), languages, columns).pairs == PAIRS


@each_form
@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (("id", "es"), ", column 'id': expected text, got int64"),
        ((1, 2), ", column 'id': expected text, got int64"),
        (("en", "fr"), ": no column 'fr' among id, en, es"),
        ((1, 9), ": no column 9, only 3"),
    ],
)
def test_columns_that_cannot_be_are_errors(path: Path, make: Make, columns: Columns, message: str) -> None:
    table = pa.table({"id": range(5), "en": ENGLISH, "es": SPANISH})
    assert error_of(path, make(table), columns=columns).message == f"{path}{message}"


@each_form
@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["id", "en"], ": expected two columns of text, got 1 among id (int64), en (string)"),
        (["id"], ": expected two columns of text, got 0 among id (int64)"),
        (["id", "en", "es", "de"], ": expected two columns, got 3: en, es, de"),
    ],
)
def test_a_table_without_two_texts_is_an_error(path: Path, make: Make, names: list[str], message: str) -> None:
    table = pa.table({name: [1] if name == "id" else ["text"] for name in names})
    assert error_of(path, make(table)).message == f"{path}{message}"


@each_form
def test_bytes_that_are_not_utf8_are_an_error(path: Path, make: Make) -> None:
    table = pa.table({"en": pa.array([b"a", b"\xe9"]), "es": ["x", "y"]})
    problem = error_of(path, make(table))
    assert str(path) in problem.message
    assert "UTF8" in problem.message


@each_form
def test_an_empty_table_has_no_pairs(path: Path, make: Make) -> None:
    table = pa.table({"en": pa.array([], pa.string()), "es": pa.array([], pa.string())})
    assert read(path, make(table)) == (("en", "es"), [])


@each_form
@pytest.mark.parametrize("share", [0.1, 0.5, 0.9, 0.99])
def test_a_file_cut_short_is_an_error_that_names_it(path: Path, make: Make, share: float) -> None:
    whole = make(pa.table({"en": [f"A dog {n}" for n in range(5000)], "es": [f"Un perro {n}" for n in range(5000)]}))
    problem = error_of(path, whole[: int(share * len(whole))])
    assert problem.message.startswith(str(path))
    assert "broken or cut short" in problem.message
    assert problem.hint == "fetch or make it again"


@each_form
def test_a_compressed_file_is_read(path: Path, make: Make) -> None:
    assert read(path, gzip.compress(make(pa.table({"en": ENGLISH, "es": SPANISH})))).pairs == PAIRS


@each_form
def test_standard_input_is_read(path: Path, make: Make) -> None:
    content = make(pa.table({"en": ENGLISH, "es": SPANISH}))
    script = "import calque; print(*(pair.target for pair in calque.corpus.read_bitext('-')), sep='|')"
    script = script.replace("import calque", "import calque.corpus")
    done = subprocess.run([sys.executable, "-X", "dev", "-c", script], input=content, capture_output=True, check=True)
    assert done.stdout.decode().strip() == "Un perro corre.|Sí."
    assert b"Warning" not in done.stderr


def test_a_large_file_is_read_by_groups_of_rows(path: Path) -> None:
    rows = [(f"A dog {number}", f"Un perro {number}") for number in range(250_000)]
    content = written("parquet", (row for row in rows), ("en", "es"))
    metadata = pq.ParquetFile(io.BytesIO(content)).metadata
    assert metadata.row_group(0).column(0).compression == "ZSTD"
    assert read(path, content).pairs == rows


def test_groups_of_rows_are_written_as_they_come() -> None:
    from calque.corpus import Pair
    from calque.corpus.formats import format_named

    file = io.BytesIO()
    batches = ([Pair(f"{batch} {row}", "x") for row in range(1000)] for batch in range(250))
    format_named("parquet").write(file, batches, None)
    metadata = pq.ParquetFile(file).metadata
    assert [metadata.row_group(at).num_rows for at in range(metadata.num_row_groups)] == [100_000, 100_000, 50_000]


@pytest.mark.parametrize(
    ("languages", "names"),
    [(("en", "es"), ["en", "es"]), (("en", "en"), ["source", "target"]), (None, ["source", "target"])],
)
def test_columns_are_called_after_the_languages(languages: tuple[str, str] | None, names: list[str]) -> None:
    assert pq.read_table(io.BytesIO(written("parquet", [("a", "b")], languages))).column_names == names


texts = st.text(st.characters(exclude_categories=[]))


@settings(max_examples=50)
@given(st.lists(st.tuples(texts, texts)), st.sampled_from([None, ("en", "es")]))
def test_what_is_written_comes_back_but_for_halves_of_surrogate_pairs(
    rows: list[tuple[str, str]], languages: tuple[str, str] | None
) -> None:
    whole = [tuple(text.encode("utf-8", "replace").decode() for text in row) for row in rows]
    assert read_back("parquet", written("parquet", rows, languages)) == (languages, whole)


def test_without_pyarrow_an_error_says_what_to_install(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path.write_bytes(parquet(pa.table({"en": ENGLISH, "es": SPANISH})))
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    with pytest.raises(UsageError) as problem:
        find_bitexts([str(path)])
    assert problem.value.message == "reading Parquet needs the package pyarrow, which is not installed"
    assert problem.value.hint == "pip install 'calque-nlp[data]'"
