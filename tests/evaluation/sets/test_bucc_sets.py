"""BUCC: two languages' sentences by id, and which ids translate each other."""

from __future__ import annotations

import bz2
from pathlib import Path

import pytest

from calque.errors import CorpusError, UsageError
from calque.evaluation.sets.bucc import MiningSet, find_bucc
from evaluation.sets.files import lines, put

GERMAN = lines("de-1\tEs regnet.", "de-2\tSie liest.", "de-3\t")
ENGLISH = lines("en-7\tShe reads.", "en-8\tIt rains.")
GOLD = lines("de-1\ten-8", "de-2\ten-7")


def bucc(split: str, german: str = GERMAN, english: str = ENGLISH, gold: str | None = GOLD) -> dict[str, str]:
    files = {f"de-en.{split}.de": german, f"de-en.{split}.en": english}
    return files if gold is None else files | {f"de-en.{split}.gold": gold}


def test_a_set_is_both_sides_in_the_files_order_and_the_gold(tmp_path: Path) -> None:
    put(tmp_path / "de-en", bucc("sample"))
    expected = MiningSet(
        "de-en.sample",
        "de-en",
        "sample",
        ("de", "en"),
        ["de-1", "de-2", "de-3"],
        ["Es regnet.", "Sie liest.", ""],
        ["en-7", "en-8"],
        ["She reads.", "It rains."],
        frozenset({("de-1", "en-8"), ("de-2", "en-7")}),
    )
    for path in (tmp_path, tmp_path / "de-en", tmp_path / "de-en" / "de-en.sample.gold"):
        assert find_bucc(path) == [expected]


def test_splits_and_pairs_come_in_order_and_those_without_gold_not_at_all(tmp_path: Path) -> None:
    put(tmp_path / "bucc2018" / "de-en", bucc("training") | bucc("sample") | bucc("test", gold=None))
    french = {name.replace("de", "fr"): text.replace("de-", "fr-") for name, text in bucc("training").items()}
    put(tmp_path / "bucc2018" / "fr-en", french)
    assert [one.name for one in find_bucc(tmp_path)] == ["de-en.sample", "de-en.training", "fr-en.training"]
    put(tmp_path / "bucc2018" / "de-en", bucc("test"))
    assert [one.split for one in find_bucc(tmp_path)[:3]] == ["sample", "training", "test"]


def test_gold_may_name_the_other_side_first(tmp_path: Path) -> None:
    put(tmp_path, bucc("sample", gold=lines("en-8\tde-1", "de-2\ten-7", "de-2\ten-7")))
    assert find_bucc(tmp_path)[0].gold == {("de-1", "en-8"), ("de-2", "en-7")}


def test_ids_that_both_sides_have_are_taken_in_the_order_of_the_name(tmp_path: Path) -> None:
    put(tmp_path, bucc("sample", lines("1\teins", "2\tzwei"), lines("2\ttwo", "1\tone"), lines("1\t2")))
    assert find_bucc(tmp_path)[0].gold == {("1", "2")}


def test_compressed_files_are_read_too(tmp_path: Path) -> None:
    for name, text in bucc("sample").items():
        (tmp_path / f"{name}.bz2").write_bytes(bz2.compress(text.encode()))
    assert len(find_bucc(tmp_path)[0].gold) == 2


@pytest.mark.parametrize(
    ("files", "message"),
    [
        (bucc("sample", gold=GOLD + "de-9\ten-7\n"), "de-en.sample.gold, line 3: no sentence has the id 'de-9'"),
        (bucc("sample", gold="en-9\tde-1\n"), "de-en.sample.gold, line 1: no sentence has the id 'en-9'"),
        (bucc("sample", gold="de-1\n"), "de-en.sample.gold, line 1: expected 2 columns, got 1"),
        (bucc("sample", gold=""), "de-en.sample.gold: expected pairs of ids, got an empty file"),
        (bucc("sample", german=GERMAN + "de-2\tNochmal.\n"), "de-en.sample.de, line 4: the id 'de-2' is there for the"),
        (bucc("sample", english="en-7 She reads.\n"), "de-en.sample.en, line 1: expected 2 columns, got 1"),
    ],
)
def test_mistakes_are_named_with_their_line(tmp_path: Path, files: dict[str, str], message: str) -> None:
    put(tmp_path, files)
    with pytest.raises(CorpusError) as problem:
        find_bucc(tmp_path)
    assert problem.value.message.startswith(f"{tmp_path}/{message}")


def test_a_missing_side_is_an_error(tmp_path: Path) -> None:
    put(tmp_path, bucc("sample"))
    (tmp_path / "de-en.sample.en").unlink()
    with pytest.raises(CorpusError, match=r"de-en\.sample\.gold: expected de-en\.sample\.en beside it"):
        find_bucc(tmp_path)


def test_sentences_without_any_gold_say_that_it_is_missing(tmp_path: Path) -> None:
    put(tmp_path, bucc("test", gold=None))
    with pytest.raises(UsageError, match=r"no files of the suite bucc: looked for de-en\.training\.gold") as problem:
        find_bucc(tmp_path)
    assert "without gold cannot be scored" in str(problem.value.hint)
