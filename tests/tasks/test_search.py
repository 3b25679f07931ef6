"""Indexes of files, files of queries and of ids."""

from __future__ import annotations

import gzip
import io
import sys
from pathlib import Path

import pytest

import calque
from calque.errors import CorpusError, UsageError
from calque.tasks.search import Answer, add_files, answer_file, build_index, delete_entries, read_ids


@pytest.fixture
def index(small_model: calque.Model, tmp_path: Path) -> calque.Index:
    (tmp_path / "one.txt").write_text("A dog runs.\n\nThe cat sleeps.\n")
    (tmp_path / "two.txt.gz").write_bytes(gzip.compress(b"Un perro corre.\nEl gato duerme."))
    return build_index([str(tmp_path / "one.txt"), str(tmp_path / "two.txt.gz")], tmp_path / "index", small_model)


def standard_input(monkeypatch: pytest.MonkeyPatch, text: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text)))


def ids(index: calque.Index) -> list[int]:
    return sorted(hit.id for hit in index.search(["dog"], 1000)[0])


def test_ids_count_on_from_file_to_file(index: calque.Index) -> None:
    assert ids(index) == [1, 3, 4, 5]
    assert add_files(index, [str(index.path.parent / "one.txt")]) == 2
    assert ids(index) == [1, 3, 4, 5, 6, 8]


def test_standard_input_can_be_indexed_and_added(
    small_model: calque.Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    standard_input(monkeypatch, b"dog\ncat\n")
    index = build_index(["-"], tmp_path / "index", small_model)
    standard_input(monkeypatch, b"perro\n")
    add_files(index, ["-"])
    assert [(hit.id, hit.file, hit.line) for hit in index.search(["perro"], 1)[0]] == [(3, "-", 1)]
    with pytest.raises(UsageError, match="once only"):
        add_files(index, ["-", "-"])


def test_a_file_that_is_not_there_is_found_out_before_anything_is_done(
    small_model: calque.Model, tmp_path: Path
) -> None:
    (tmp_path / "one.txt").write_text("dog\n")
    with pytest.raises(UsageError, match=r"cannot read .*two\.txt"):
        build_index([str(tmp_path / "one.txt"), str(tmp_path / "two.txt")], tmp_path / "index", small_model)
    assert not (tmp_path / "index").exists()


def test_a_file_that_is_not_utf_8_is_named_with_its_line(
    small_model: calque.Model, index: calque.Index, tmp_path: Path
) -> None:
    (tmp_path / "latin.txt").write_bytes(b"fine\ncaf\xe9\n")
    with pytest.raises(CorpusError, match=r"latin\.txt, line 2: not UTF-8"):
        build_index([str(tmp_path / "latin.txt")], tmp_path / "other", small_model)
    with pytest.raises(CorpusError, match=r"latin\.txt, line 2: not UTF-8"):
        add_files(index, [str(tmp_path / "latin.txt")])
    assert not (tmp_path / "other").exists()
    assert ids(index) == [1, 3, 4, 5]


def test_a_file_of_queries_is_answered_line_by_line(index: calque.Index, tmp_path: Path) -> None:
    (tmp_path / "queries").write_text("A dog runs.\n\nEl gato duerme.\n")
    one, blank, two = answer_file(index, str(tmp_path / "queries"), k=1)
    assert one == Answer(1, "A dog runs.", index.search(["A dog runs."], 1)[0])
    assert blank == Answer(2, "", [])
    assert (two.number, two.hits[0].text) == (3, "El gato duerme.")


def test_queries_are_answered_as_they_come(index: calque.Index, tmp_path: Path) -> None:
    """Thousands of lines are answered together, and never more than that are read ahead."""
    (tmp_path / "queries").write_bytes(b"dog\n" * 5000 + b"caf\xe9\n")
    answers = answer_file(index, str(tmp_path / "queries"), k=1)
    assert [next(answers).number for _ in range(3)] == [1, 2, 3]
    with pytest.raises(CorpusError, match="line 5001: not UTF-8"):
        list(answers)


def test_ids_files_and_texts_are_deleted_together(index: calque.Index, tmp_path: Path) -> None:
    (tmp_path / "ids").write_text("3\tThe cat sleeps.\n\n 4 \n")
    assert delete_entries(index, [1], [str(tmp_path / "ids")], ["El gato duerme.", "A dog runs."]) == 4
    assert ids(index) == []


def test_a_text_that_no_entry_has_deletes_nothing(index: calque.Index) -> None:
    with pytest.raises(UsageError, match="no entry has exactly the text 'A dog'"):
        delete_entries(index, [1], texts=["A dog"])
    assert ids(index) == [1, 3, 4, 5]


@pytest.mark.parametrize("line", ["x", "-1", "1.5", "²", "1 2"])
def test_what_is_no_id_is_named_with_its_line(tmp_path: Path, line: str) -> None:
    (tmp_path / "ids").write_text(f"1\n{line}\n")
    with pytest.raises(CorpusError, match="ids, line 2: expected an id, got"):
        list(read_ids(str(tmp_path / "ids")))
