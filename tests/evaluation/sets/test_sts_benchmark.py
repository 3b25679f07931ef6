"""The STS benchmark as published, which is no CSV whatever its name says, and as TSVs in many languages."""

from __future__ import annotations

from pathlib import Path

import pytest

from calque.errors import CorpusError, UsageError
from calque.evaluation.sets.sts import find_stsb
from evaluation.sets.files import lines, put

TSV = lines("5\tEin Schaf.\tDas Schaf.", "2\tEin Schaf.\tRegen.")
PUBLISHED = lines(
    'main-news\tMSRpar\t2012test\t0001\t3.500\t"Sheep," she said, "sleep.\tSheep sleep, "she" said.',
    "main-forums\tdeft\t2014\t0002\t0.000\tA hat.\tA boat.\thttp://one\thttp://two",
)


@pytest.mark.parametrize("folder", ["stsbenchmark", "STS/STSBenchmark", "stsb"])
def test_the_published_files_are_english(tmp_path: Path, folder: str) -> None:
    put(tmp_path / folder, {f"sts-{split}.csv": PUBLISHED for split in ("test", "dev", "train")})
    put(tmp_path / folder, {"LICENSE.txt": "!", "correlation.pl": "!", "readme.txt": "!"})
    found = find_stsb(tmp_path)
    assert [one.name for one in found] == ["en-train", "en-dev", "en-test"]
    assert {(one.group, one.languages) for one in found} == {("", ("en", "en"))}
    assert found[0].gold == [3.5, 0.0]
    assert found[0].first == ['"Sheep," she said, "sleep.', "A hat."]
    assert found[0].second == ['Sheep sleep, "she" said.', "A boat."]


def test_tsvs_have_the_language_in_their_names(tmp_path: Path) -> None:
    put(tmp_path / "stsb", dict.fromkeys(["zh-dev.tsv", "en-train.tsv", "en-dev.tsv", "pt-BR-dev.tsv"], TSV))
    put(tmp_path, {"sts17/track5.en-en.tsv": TSV, "sts-train/2012.MSRpar.tsv": TSV, "tatoeba/deu-eng.tsv": "a\tb\n"})
    assert [(one.name, one.languages) for one in find_stsb(tmp_path)] == [
        ("en-train", ("en", "en")),
        ("en-dev", ("en", "en")),
        ("pt-BR-dev", ("pt-BR", "pt-BR")),
        ("zh-dev", ("zh", "zh")),
    ]
    assert [one.name for one in find_stsb(tmp_path / "stsb" / "zh-dev.tsv")] == ["zh-dev"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (lines("a,b,c"), "line 1: expected 7 columns or more, got 1"),
        (PUBLISHED + lines("g\tf\ty\ti\tfour\ta\tb"), "line 3: expected a number in column 5, got 'four'"),
        (lines("g\tf\ty\ti\t4\ta\tb"), "expected at least two scored pairs, got 1"),
    ],
)
def test_mistakes_are_named_with_their_line(tmp_path: Path, content: str, message: str) -> None:
    put(tmp_path, {"sts-dev.csv": content})
    with pytest.raises(CorpusError, match=message):
        find_stsb(tmp_path)


def test_english_in_both_forms_is_there_twice(tmp_path: Path) -> None:
    put(tmp_path, {"sts-dev.csv": PUBLISHED, "en-dev.tsv": TSV})
    with pytest.raises(UsageError, match="en-dev is there twice"):
        find_stsb(tmp_path)


def test_a_folder_without_it_says_what_was_looked_for(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"no files of the suite stsb: looked for sts-train\.csv") as problem:
        find_stsb(tmp_path)
    assert "calque corpus download stsb" in str(problem.value.hint)
