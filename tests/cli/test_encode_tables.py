"""calque encode on tables: a column in, Parquet out."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow.parquet
import pytest
from failing import fail

import calque
from calque.cli import main


def test_parquet_gets_a_column_more(small_model: calque.Model, tmp_path: Path) -> None:
    texts = [f"Line {number}." for number in range(20_000)]
    table = pyarrow.table({"id": range(len(texts)), "body": texts})
    pyarrow.parquet.write_table(table, tmp_path / "in.parquet")
    out = tmp_path / "out.parquet"
    main(["encode", str(tmp_path / "in.parquet"), "--model", str(small_model.path), "-o", str(out)])
    found = pyarrow.parquet.read_table(out)
    assert found.column_names == ["id", "body", "vector"]
    assert found["body"].to_pylist() == texts
    vectors = np.stack(found["vector"].combine_chunks().to_numpy(zero_copy_only=False))
    assert np.array_equal(vectors, small_model.encode(texts))


def test_lines_become_text_and_vector(small_model: calque.Model, tmp_path: Path) -> None:
    (tmp_path / "in.tsv").write_text("1\tone\n2\ttwo\n")
    command = ["encode", str(tmp_path / "in.tsv"), "--model", str(small_model.path), "--column", "2"]
    main([*command, "-o", str(tmp_path / "out.parquet")])
    found = pyarrow.parquet.read_table(tmp_path / "out.parquet")
    assert found.column_names == ["text", "vector"]
    assert found["text"].to_pylist() == ["one", "two"]
    (tmp_path / "in.tsv").write_text("")
    main([*command, "-o", str(tmp_path / "empty.parquet")])
    assert pyarrow.parquet.read_table(tmp_path / "empty.parquet").num_rows == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--engine", "ray", "-o", "-"], "the output is a folder of parts"),
        (["--address", "auto", "-o", "out.npy"], "--address is the Ray cluster's"),
        (["--column", "0", "-o", "out.npy"], "a number from 1"),
        (["--format", "parquet", "-o", "-"], "Parquet cannot be written to standard output"),
    ],
)
def test_mistakes(
    small_model: calque.Model,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    message: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("in.txt").write_text("A line.\n")
    code, said, _ = fail(capsys, "encode", "in.txt", "--model", str(small_model.path), *arguments)
    assert code == 2
    assert message in said
    assert [path.name for path in tmp_path.iterdir()] == ["in.txt"]
