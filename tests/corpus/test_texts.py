"""Texts from lines and from columns of tables."""

from __future__ import annotations

from pathlib import Path

import pyarrow
import pyarrow.parquet
import pytest

from calque.corpus.texts import read_texts
from calque.errors import CorpusError


@pytest.fixture
def parquet(tmp_path: Path) -> Path:
    table = pyarrow.table({"id": [1, 2, 3], "title": ["a", "b", None], "body": ["A.", "B.", "C."]})
    pyarrow.parquet.write_table(table, tmp_path / "table.parquet")
    return tmp_path / "table.parquet"


def test_lines_are_texts(tmp_path: Path) -> None:
    (tmp_path / "lines").write_text("one\ttwo\nthree\n")
    assert list(read_texts(tmp_path / "lines")) == ["one\ttwo", "three"]


def test_a_column_of_a_tsv(tmp_path: Path) -> None:
    (tmp_path / "tsv").write_text("en\tes\none\tuno\ntwo\tdos\n")
    assert list(read_texts(tmp_path / "tsv", 2)) == ["es", "uno", "dos"]
    assert list(read_texts(tmp_path / "tsv", "es")) == ["uno", "dos"]
    with pytest.raises(CorpusError, match="line 1: no column 3, only 2"):
        list(read_texts(tmp_path / "tsv", 3))
    with pytest.raises(CorpusError, match="no column de among en, es"):
        list(read_texts(tmp_path / "tsv", "de"))


def test_a_column_of_parquet(parquet: Path, tmp_path: Path) -> None:
    assert list(read_texts(parquet, "title")) == ["a", "b", ""]
    assert list(read_texts(parquet, 3)) == ["A.", "B.", "C."]
    with pytest.raises(CorpusError, match="expected one column of text, got 2 among id, title, body"):
        list(read_texts(parquet))
    with pytest.raises(CorpusError, match="column 'id': expected text, got int64"):
        list(read_texts(parquet, "id"))
    with pytest.raises(CorpusError, match="no column 9 among"):
        list(read_texts(parquet, 9))
    pyarrow.parquet.write_table(pyarrow.table({"n": [1], "only": ["x"]}), tmp_path / "one.parquet")
    assert list(read_texts(tmp_path / "one.parquet")) == ["x"]
