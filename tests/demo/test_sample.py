"""The sample holds what it says, and the same each time."""

from __future__ import annotations

from pathlib import Path

import pytest

import calque
from calque.demo import sentences, write_sample


@pytest.fixture
def sample(tmp_path: Path) -> Path:
    write_sample(tmp_path / "sample")
    return tmp_path / "sample"


def lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines()


def translations() -> dict[str, str]:
    """English to Spanish."""
    text = sentences()
    return dict(zip(text["en"], text["es"], strict=True))


def test_all_that_is_listed_is_there_and_nothing_else(tmp_path: Path) -> None:
    written = write_sample(tmp_path / "sample")
    found = {str(path.relative_to(tmp_path / "sample")) for path in (tmp_path / "sample").rglob("*") if path.is_file()}
    assert found == {each.name for each in written}
    for each in written:
        if each.name != "memory.tmx":
            assert len(lines(tmp_path / "sample" / each.name)) == each.lines


def test_it_is_the_same_each_time(sample: Path, tmp_path: Path) -> None:
    for each in write_sample(tmp_path / "again"):
        assert (sample / each.name).read_bytes() == (tmp_path / "again" / each.name).read_bytes()


def test_the_memory_is_the_bitext(sample: Path) -> None:
    assert list(calque.read_bitext(sample / "memory.tmx")) == list(calque.read_bitext(sample / "en-es.tsv"))


def test_four_in_five_pairs_of_the_noisy_bitext_are_right(sample: Path) -> None:
    known = translations()
    pairs = [line.split("\t") for line in lines(sample / "noisy.en-es.tsv")]
    right = sum(known[source] == target for source, target in pairs)
    assert right / len(pairs) == pytest.approx(0.8, abs=0.01)


def test_half_of_each_pile_has_its_translation_in_the_other(sample: Path) -> None:
    text = sentences()
    english = dict(zip(text["de"], text["en"], strict=True))
    there = set(lines(sample / "news.en"))
    german = lines(sample / "news.de")
    assert sum(english[line] in there for line in german) == 300
    assert len(german) == len(there) == 600


def test_held_out_lines_are_in_no_bitext(sample: Path) -> None:
    trained = {line for pair in ("en-es", "en-de", "en-fr") for line in lines(sample / f"{pair}.tsv")}
    for language in ("es", "de", "fr"):
        for source, target in zip(lines(sample / "test/test.en"), lines(sample / f"test/test.{language}"), strict=True):
            assert f"{source}\t{target}" not in trained
