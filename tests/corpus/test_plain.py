"""Plain text as training reads it."""

from __future__ import annotations

from pathlib import Path

import pytest

from calque.corpus import PlainText, find_texts
from calque.errors import CorpusError, UsageError


def test_each_line_that_holds_text_is_paired_with_itself(tmp_path: Path) -> None:
    path = tmp_path / "news.es.txt"
    path.write_text("Uno.\n\n   \nDos.\n")
    (found,) = find_texts([str(path)])
    assert (found.language, found.languages, found.name) == ("es", ("es", "es"), "news.es")
    assert list(found.texts()) == ["Uno.", "Dos."]
    assert [tuple(pair) for pair in found.pairs()] == [("Uno.", "Uno."), ("Dos.", "Dos.")]


def test_a_name_tells_the_language_before_the_one_that_is_given(tmp_path: Path) -> None:
    paths = [tmp_path / name for name in ("news.es.txt", "notes.txt")]
    for path in paths:
        path.write_text("Hola.\n")
    assert [text.language for text in find_texts(list(map(str, paths)), "deu")] == ["es", "de"]
    assert [text.language for text in find_texts(list(map(str, paths)))] == ["es", None]
    assert PlainText("notes.txt").languages is None


def test_a_language_that_is_none_is_refused(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("Hola.\n")
    with pytest.raises(UsageError, match="'spanish!' is not a language code"):
        find_texts([str(tmp_path / "notes.txt")], "spanish!")


@pytest.mark.parametrize(
    ("name", "content"),
    [("pairs.tsv", "A dog.\tUn perro.\n"), ("pairs.jsonl", '{"en": "A dog."}\n')],
)
def test_bitext_is_no_plain_text(tmp_path: Path, name: str, content: str) -> None:
    (tmp_path / name).write_text(content)
    with pytest.raises(CorpusError, match="expected plain text, one sentence a line, got") as problem:
        find_texts([str(tmp_path / name)])
    assert "without --text" in str(problem.value.hint)


def test_an_empty_file_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "none.en").write_text("")
    with pytest.raises(CorpusError, match=r"none\.en is empty"):
        find_texts([str(tmp_path / "none.en")])
