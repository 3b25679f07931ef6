"""One side of mining: distinct sentences on disk, with the lines they came from."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import calque
from calque.corpus.identity import identities
from calque.errors import ModelError
from calque.mining.pile import Pile, VectorFile, fingerprint, make_pile, nothing_seen, open_pile

LINES = ["A dog runs.", "", "a DOG runs!", "  ", "Two birds sing.", "A dog runs.", "Room 12", "Room 21", "room 12"]


def pile_of(folder: Path, model: calque.Model, lines: list[str], keep_repeats: bool = False) -> Pile:
    return make_pile(
        folder,
        "source",
        iter(lines),
        model,
        language=None,
        seen=nothing_seen(keep_repeats),
        threads=1,
        watch=lambda lines: None,
    )


def test_blank_lines_and_repeats_are_counted_but_not_kept(small_model: calque.Model, tmp_path: Path) -> None:
    pile = pile_of(tmp_path, small_model, LINES)
    summary = pile.summary
    assert [pile.text(at) for at in range(len(pile))] == [
        "A dog runs.",
        "Two birds sing.",
        "Room 12",
        "Room 21",
        "room 12",
    ]
    assert [pile.line(at) for at in range(len(pile))] == [1, 5, 7, 8, 9]
    assert (summary.lines, summary.blank, summary.repeated, summary.sentences) == (9, 2, 2, 5)


def test_repeats_can_be_kept(small_model: calque.Model, tmp_path: Path) -> None:
    pile = pile_of(tmp_path, small_model, LINES, keep_repeats=True)
    assert [pile.line(at) for at in range(len(pile))] == [1, 3, 5, 6, 7, 8, 9]


def test_vectors_are_those_of_the_model_and_can_be_read_in_parts(small_model: calque.Model, tmp_path: Path) -> None:
    lines = [f"sentence number {number} of the text" for number in range(300)]
    pile = pile_of(tmp_path, small_model, lines)
    expected = small_model.encode(lines, normalize=True)
    np.testing.assert_allclose(pile.vectors[0:300], expected, atol=1e-6)
    np.testing.assert_array_equal(pile.vectors[290:999], pile.vectors[0:300][290:])
    assert pile.vectors[300:310].shape == (0, small_model.dimension)


def test_only_what_was_wholly_made_is_opened_again(small_model: calque.Model, tmp_path: Path) -> None:
    assert open_pile(tmp_path, "source") is None
    made = pile_of(tmp_path, small_model, LINES)
    again = open_pile(tmp_path, "source")
    assert again is not None
    assert again.summary == made.summary
    assert [again.text(at) for at in range(len(again))] == [made.text(at) for at in range(len(made))]
    (tmp_path / "source.json").unlink()
    assert open_pile(tmp_path, "source") is None


def test_a_fingerprint_tells_texts_apart_by_any_line(small_model: calque.Model, tmp_path: Path) -> None:
    assert pile_of(tmp_path, small_model, LINES).summary.fingerprint == fingerprint(LINES)
    assert fingerprint(LINES) != fingerprint(LINES[:-1])
    assert fingerprint(["ab", "c"]) != fingerprint(["a", "bc"])


@given(st.lists(st.text(max_size=12), max_size=20))
@settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_text_comes_back_as_it_was(small_model: calque.Model, tmp_path: Path, lines: list[str]) -> None:
    pile = pile_of(tmp_path, small_model, lines, keep_repeats=True)
    assert [pile.text(at) for at in range(len(pile))] == [line for line in lines if line.strip()]


def test_an_empty_file_has_no_rows(tmp_path: Path) -> None:
    (tmp_path / "vectors").touch()
    assert VectorFile(tmp_path / "vectors", 0, 4)[0:10].shape == (0, 4)


@pytest.mark.parametrize(
    ("one", "two", "same"),
    [
        ("Thank you!", "thank you", True),
        ("Ça va ?", "ça va?", True),
        ("Rule 12", "Rule 21", False),
        ("Rule 12", "Rule 12.", False),
        ("I can go", "I can't go", False),
        ("?!", "!?", False),
        ("?!", "?!", True),
    ],
)
def test_case_and_punctuation_do_not_count_but_digits_do(one: str, two: str, same: bool) -> None:
    first, second = identities([one, two])
    assert (first == second) == same


@pytest.mark.parametrize("part", ["sentences", "text", "vectors"])
def test_a_pile_that_was_cut_short_is_made_again(small_model: calque.Model, tmp_path: Path, part: str) -> None:
    pile_of(tmp_path, small_model, LINES)
    path = tmp_path / f"source.{part}"
    path.write_bytes(path.read_bytes()[:-8])
    assert open_pile(tmp_path, "source") is None


@pytest.mark.parametrize("change", [{"sentences": 4}, {"sentences": "5"}, {"dimension": 32}, {"lines": None}])
def test_a_summary_of_something_else_is_none(small_model: calque.Model, tmp_path: Path, change: dict[str, Any]) -> None:
    pile_of(tmp_path, small_model, LINES)
    path = tmp_path / "source.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    assert open_pile(tmp_path, "source") is None


def test_text_that_is_none_any_more_is_an_error(small_model: calque.Model, tmp_path: Path) -> None:
    pile = pile_of(tmp_path, small_model, LINES)
    (tmp_path / "source.text").write_bytes(b"\xff" * (tmp_path / "source.text").stat().st_size)
    with pytest.raises(ModelError, match=r"source\.text is damaged"):
        pile.text(0)


def test_vectors_that_are_cut_short_are_an_error_and_not_fewer_vectors(tmp_path: Path) -> None:
    np.ones((3, 4), np.float32).tofile(tmp_path / "vectors")
    with pytest.raises(OSError, match="cut short"):
        VectorFile(tmp_path / "vectors", 5, 4)[1:5]
