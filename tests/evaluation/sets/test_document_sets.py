"""Documents to align: both sides and a gold of numbers, told by their names."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from calque.errors import CorpusError, UsageError
from calque.evaluation.sets.documents import DocumentPair, find_documents
from evaluation.sets.files import lines, put

GERMAN = lines("Es regnet.", "Sie liest. Er schläft.", "")
FRENCH = lines("Il pleut.", "Elle lit.", "Il dort.")
GOLD = lines("[0]:[0]", "[1]:[1, 2]", "[2]:[]")


def documents(name: str, german: str = GERMAN, french: str = FRENCH, gold: str = GOLD) -> dict[str, str]:
    return {f"{name}.de": german, f"{name}.fr": french, f"{name}.defr": gold}


def test_a_set_is_both_documents_and_the_gold(tmp_path: Path) -> None:
    put(tmp_path, documents("dev"))
    expected = DocumentPair(
        "dev",
        ("de", "fr"),
        ["Es regnet.", "Sie liest. Er schläft.", ""],
        ["Il pleut.", "Elle lit.", "Il dort."],
        [((0,), (0,)), ((1,), (1, 2)), ((2,), ())],
    )
    assert find_documents(tmp_path) == [expected]
    assert find_documents(tmp_path / "dev.defr") == [expected]


def test_sets_come_in_the_order_of_their_names(tmp_path: Path) -> None:
    put(tmp_path, documents("test1") | documents("dev") | documents("test0"))
    assert [pair.name for pair in find_documents(tmp_path)] == ["dev", "test0", "test1"]


def test_any_two_endings_will_do(tmp_path: Path) -> None:
    put(
        tmp_path,
        {"a.src": GERMAN, "a.tgt": FRENCH, "a.srctgt": GOLD, "b.deu": GERMAN, "b.fra": FRENCH, "b.deufra": GOLD},
    )
    put(tmp_path, {"c.de": GERMAN, "c.fra": FRENCH, "c.defra": GOLD, "c.json": "{}", "notes.txt": "x"})
    found = {pair.name: pair.languages for pair in find_documents(tmp_path)}
    assert found == {"a": None, "b": ("de", "fr"), "c": ("de", "fr")}


def test_costs_and_order_in_the_gold_and_compression_do_not_matter(tmp_path: Path) -> None:
    put(tmp_path, documents("dev", gold=lines("[1] : [1, 2]:0.25", " [0]:[0] ")))
    packed = gzip.compress((tmp_path / "dev.fr").read_bytes())
    (tmp_path / "dev.fr").unlink()
    (tmp_path / "dev.fr.gz").write_bytes(packed)
    assert find_documents(tmp_path)[0].gold == [((1,), (1, 2)), ((0,), (0,))]


@pytest.mark.parametrize(
    ("gold", "message"),
    [
        ("[0]:[0]\n0-0\n", "dev.defr, line 2: expected two lists of numbers like [0]:[0, 1], got '0-0'"),
        ("[0]:[0]\n\n", "dev.defr, line 2: expected two lists of numbers"),
        ("[3]:[0]\n", "dev.defr, line 1: dev.de has 3 sentences, and none has the number 3"),
        ("[0]:[0, 9]\n", "dev.defr, line 1: dev.fr has 3 sentences, and none has the number 9"),
        ("[0]:[]\n", "dev.defr: expected sentences that translate each other, got none"),
        ("", "dev.defr: expected sentences that translate each other, got none"),
    ],
)
def test_mistakes_in_the_gold_are_named_with_their_line(tmp_path: Path, gold: str, message: str) -> None:
    put(tmp_path, documents("dev", gold=gold))
    with pytest.raises(CorpusError) as problem:
        find_documents(tmp_path)
    assert problem.value.message.startswith(f"{tmp_path}/{message}")


@pytest.mark.parametrize("missing", ["de", "fr"])
def test_a_missing_side_is_an_error(tmp_path: Path, missing: str) -> None:
    put(tmp_path, documents("dev"))
    (tmp_path / f"dev.{missing}").unlink()
    with pytest.raises(CorpusError, match=rf"dev\.defr: expected dev\.{missing} beside it"):
        find_documents(tmp_path)


def test_a_folder_of_something_else_is_refused(tmp_path: Path) -> None:
    put(tmp_path, {"dev.de": GERMAN, "dev.fr": FRENCH, "dev.js": "x", "dev.json": "{}"})
    with pytest.raises(UsageError, match=r"no files of the suite alignment: looked for dev\.defr with dev\.de"):
        find_documents(tmp_path)


def test_a_set_in_two_places_is_refused(tmp_path: Path) -> None:
    put(tmp_path / "one", documents("dev"))
    put(tmp_path / "two", documents("dev"))
    with pytest.raises(UsageError, match="dev is there twice"):
        find_documents(tmp_path)
