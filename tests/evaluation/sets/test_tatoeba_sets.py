"""LASER's Tatoeba test set: each language with English, in two files or in one."""

from __future__ import annotations

from pathlib import Path

import pytest

from calque.errors import CorpusError, UsageError
from calque.evaluation.sets.aligned import AlignedSet, find_tatoeba
from evaluation.sets.files import lines, put

GERMAN = AlignedSet("deu-eng", ("de", "en"), ["Ja, Eva.", "Nein."], ["Yes, Eva.", "No."])


def test_two_files_are_a_set(tmp_path: Path) -> None:
    put(tmp_path / "tatoeba", {"tatoeba.deu-eng.deu": "Ja, Eva.\nNein.\n", "tatoeba.deu-eng.eng": "Yes, Eva.\nNo.\n"})
    put(tmp_path / "tatoeba", {"tatoeba.cbk-eng.cbk": "uno\ndos\n", "tatoeba.cbk-eng.eng": "one\ntwo\n"})
    for path in (tmp_path, tmp_path / "tatoeba"):
        chavacano, german = find_tatoeba(path)
        assert german == GERMAN
        assert (chavacano.name, chavacano.languages) == ("cbk-eng", ("cbk", "en"))


def test_a_tsv_is_a_set_and_bitext_of_the_same_source_is_none(tmp_path: Path) -> None:
    put(tmp_path, {"eval/tatoeba/deu-eng.tsv": lines("Ja, Eva.\tYes, Eva.", "Nein.\tNo.")})
    put(tmp_path, {"bitext/tatoeba.en-de.tsv": lines("Yes.\tJa."), "eval/sts17/track5.en-en.tsv": "?"})
    for path in (tmp_path, tmp_path / "eval" / "tatoeba", tmp_path / "eval" / "tatoeba" / "deu-eng.tsv"):
        assert find_tatoeba(path) == [GERMAN]


def test_sides_of_differing_lengths_are_an_error_with_both_numbers(tmp_path: Path) -> None:
    put(tmp_path, {"tatoeba.deu-eng.deu": lines("1", "2", "3"), "tatoeba.deu-eng.eng": lines("1", "2")})
    with pytest.raises(CorpusError, match=r"tatoeba\.deu-eng\.deu has 3 lines, and .*tatoeba\.deu-eng\.eng has 2\n"):
        find_tatoeba(tmp_path)


@pytest.mark.parametrize(("there", "missing"), [("deu", "eng"), ("eng", "deu")])
def test_a_missing_side_is_an_error(tmp_path: Path, there: str, missing: str) -> None:
    put(tmp_path, {f"tatoeba.deu-eng.{there}": "one\ntwo\n"})
    with pytest.raises(CorpusError) as problem:
        find_tatoeba(tmp_path)
    assert problem.value.message == (
        f"{tmp_path}/tatoeba.deu-eng.{there}: expected tatoeba.deu-eng.{missing} beside it, and it is not there"
    )
    assert problem.value.hint == "calque corpus download tatoeba deu-eng fetches both"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (lines("a\tb", "c"), "line 2: expected 2 columns, got 1"),
        (lines("a\tb", "c\td\te"), "line 2: expected 2 columns, got 3"),
        (lines("a\tb"), "expected at least two sentences, got 1"),
    ],
)
def test_mistakes_are_named_with_their_line(tmp_path: Path, content: str, message: str) -> None:
    put(tmp_path, {"deu-eng.tsv": content})
    with pytest.raises(CorpusError, match=message):
        find_tatoeba(tmp_path)


def test_the_same_pair_in_both_forms_is_there_twice(tmp_path: Path) -> None:
    put(tmp_path, {"deu-eng.tsv": lines("a\tb", "c\td")})
    put(tmp_path, {"v1/tatoeba.deu-eng.deu": "a\nb\n", "v1/tatoeba.deu-eng.eng": "a\nb\n"})
    with pytest.raises(UsageError, match="deu-eng is there twice"):
        find_tatoeba(tmp_path)


def test_a_folder_without_any_says_what_was_looked_for(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"no files of the suite tatoeba: looked for tatoeba\.deu-eng\.deu"):
        find_tatoeba(tmp_path)
