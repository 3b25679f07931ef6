"""Pairs with human judgements: score, tab, sentence, tab, sentence."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calque.corpus import ScoredPair, read_scored_pairs
from calque.errors import CorpusError, UsageError


def scored(path: Path, *lines: str) -> Path:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def test_scores_and_sentences_come_in_the_file_s_order(tmp_path: Path) -> None:
    path = scored(tmp_path / "dev.tsv", "5.0\tA dog.\tUn perro.", "0\tA dog.\tLlueve.", "-1e1\ta\t")
    assert read_scored_pairs(path) == [
        ScoredPair(5.0, "A dog.", "Un perro."),
        ScoredPair(0.0, "A dog.", "Llueve."),
        ScoredPair(-10.0, "a", ""),
    ]


@pytest.mark.parametrize(("line", "columns"), [("5\ta", 2), ("5\ta\tb\tc", 4), ("", 1)])
def test_a_wrong_number_of_columns_is_an_error_with_its_line(tmp_path: Path, line: str, columns: int) -> None:
    path = scored(tmp_path / "dev.tsv", "5\ta\tb", line)
    with pytest.raises(CorpusError) as problem:
        read_scored_pairs(path)
    assert problem.value.message == f"{path}, line 2: expected 3 columns, got {columns}"
    assert problem.value.hint == "score, tab, sentence, tab, sentence"


@pytest.mark.parametrize("score", ["high", "", "nan", "inf", "-inf", "1,5", "0x10"])
def test_what_is_not_a_number_is_an_error_that_shows_it(tmp_path: Path, score: str) -> None:
    path = scored(tmp_path / "dev.tsv", "5\ta\tb", "4\ta\tb", f"{score}\ta\tb")
    with pytest.raises(CorpusError) as problem:
        read_scored_pairs(path)
    assert problem.value.message == f"{path}, line 3: expected a number in column 1, got {score!r}"


@pytest.mark.parametrize("lines", [[], ["5\ta\tb"]])
def test_a_correlation_needs_two_pairs(tmp_path: Path, lines: list[str]) -> None:
    with pytest.raises(CorpusError, match=f"expected at least two scored pairs, got {len(lines)}"):
        read_scored_pairs(scored(tmp_path / "dev.tsv", *lines))


def test_a_missing_file_is_a_mistake_of_the_call(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot read"):
        read_scored_pairs(tmp_path / "nowhere.tsv")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("scored")


@given(st.binary(max_size=60))
def test_any_bytes_are_pairs_or_an_error(folder: Path, content: bytes) -> None:
    path = folder / "dev.tsv"
    path.write_bytes(content)
    with suppress(CorpusError):
        assert len(read_scored_pairs(path)) >= 2
