"""Lines come out of a file as they went in, whatever ends them and whatever they hold."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import calque
from calque.corpus import read_lines
from calque.errors import CorpusError, UsageError
from calque.model import Model


def lines_of(content: bytes, folder: Path) -> list[str]:
    path = folder / "text"
    path.write_bytes(content)
    return list(read_lines(path))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("lines")


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\n\r"))))
def test_what_was_joined_by_line_feeds_comes_back(folder: Path, lines: list[str]) -> None:
    content = "".join(f"{line}\n" for line in lines).encode()
    if content.startswith(b"\xef\xbb\xbf"):  # the file's mark, not the first line's
        content = content[3:]
        lines = [lines[0][1:], *lines[1:]] if content else []
    assert lines_of(content, folder) == lines


@pytest.mark.parametrize(
    ("content", "lines"),
    [
        (b"", []),
        (b"\n", [""]),
        (b"one", ["one"]),
        (b"one\ntwo", ["one", "two"]),
        (b"one\n\ntwo\n", ["one", "", "two"]),
        (b"one\r\ntwo\r\n", ["one", "two"]),
        (b"one\rtwo\n", ["one\rtwo"]),
        (b"one\r\r\n", ["one\r"]),
        (b"\xef\xbb\xbfone\ntwo\n", ["one", "two"]),
        (b"\xef\xbb\xbf", []),
        (b"\xef\xbb\xbf\n", [""]),
        (b"one\n\xef\xbb\xbftwo\n", ["one", "\ufefftwo"]),
        (b"a\x00b\n", ["a\x00b"]),
    ],
)
def test_lines_end_at_line_feeds_alone(tmp_path: Path, content: bytes, lines: list[str]) -> None:
    assert lines_of(content, tmp_path) == lines


@pytest.mark.parametrize("separator", ["\u2028", "\u2029", "\x0b", "\x0c", "\x85", "\x1c", "\x1d", "\x1e"])
def test_other_separators_of_unicode_do_not_end_a_line(tmp_path: Path, separator: str) -> None:
    assert lines_of(f"one{separator}two\nthree\n".encode(), tmp_path) == [f"one{separator}two", "three"]


def test_what_python_reads_has_the_line_numbers_of_the_commands(tmp_path: Path, small_model: Model) -> None:
    (tmp_path / "text").write_bytes("A dog\x85runs.\r\nIt rains.\n".encode())
    assert list(calque.read_lines(tmp_path / "text")) == ["A dog\x85runs.", "It rains."]
    index = calque.Index.build(tmp_path / "text", tmp_path / "index", small_model)
    assert [hit.line for hit in index.search(["It rains."], k=1)[0]] == [2]


def test_a_byte_that_is_not_utf8_is_named_with_its_line_and_place(tmp_path: Path) -> None:
    path = tmp_path / "old.txt"
    path.write_bytes(b"eins\nzwei\n" + "drei für vier\n".encode("latin1"))
    with pytest.raises(CorpusError) as problem:
        list(read_lines(path))
    assert problem.value.message == f"{path}, line 3: not UTF-8 (byte 0xfc at position 7)"
    assert problem.value.hint is not None
    assert "iconv" in problem.value.hint


def test_lines_before_a_bad_byte_are_still_given(tmp_path: Path) -> None:
    path = tmp_path / "old.txt"
    path.write_bytes(b"one\ntwo\n\xff\n")
    lines = read_lines(path)
    assert [next(lines), next(lines)] == ["one", "two"]
    with pytest.raises(CorpusError, match="line 3"):
        next(lines)


@pytest.mark.parametrize("encoded_surrogate", [b"\xed\xa0\x80", b"\xc0\x80", b"\xf4\x90\x80\x80"])
def test_forms_that_utf8_forbids_are_refused(tmp_path: Path, encoded_surrogate: bytes) -> None:
    with pytest.raises(CorpusError, match="line 1: not UTF-8"):
        lines_of(encoded_surrogate, tmp_path)


def test_a_missing_file_is_a_mistake_of_the_call(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"cannot read .*nowhere\.txt: No such file"):
        list(read_lines(tmp_path / "nowhere.txt"))


def test_a_misspelt_name_is_told_the_nearest(tmp_path: Path) -> None:
    (tmp_path / "corpus.en").touch()
    with pytest.raises(UsageError) as problem:
        list(read_lines(tmp_path / "copus.en"))
    assert problem.value.hint == f"did you mean {tmp_path / 'corpus.en'}?"


def test_a_folder_is_a_mistake_of_the_call(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"cannot read .*: Is a directory"):
        list(read_lines(tmp_path))


def test_a_dash_is_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO("uno\ndos\r\ntrés".encode()))))
    assert list(read_lines("-")) == ["uno", "dos", "trés"]


def test_a_bad_byte_in_standard_input_is_named_with_its_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(b"uno\n\xe9\n"))))
    with pytest.raises(CorpusError, match=r"^-, line 2: not UTF-8 \(byte 0xe9 at position 1\)"):
        list(read_lines("-"))
