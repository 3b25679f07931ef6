"""calque explain: a table that adds up, for people and for scripts."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest
from failing import fail
from terminal import read_all

from calque import Model, explain
from calque.cli import main

SHORT = ("Two dogs run.", "Dos perros corren ☃.")
LONG = ("The small dog and the old cat sleep together in the warm house of my dear friend.", "Mis perros corren.")


@pytest.fixture(autouse=True)
def no_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CALQUE_MODEL", raising=False)


def printed(capsys: pytest.CaptureFixture[str], model: Model, *arguments: str) -> str:
    main(["explain", "--model", str(model.path), *arguments])
    return capsys.readouterr().out


def test_a_short_pair_is_a_table_that_adds_up(capsys: pytest.CaptureFixture[str], small_model: Model) -> None:
    lines = printed(capsys, small_model, *SHORT).splitlines()
    score = explain(*SHORT, model=small_model).score
    assert lines[0] == f"similarity {score:.4f}"
    assert lines[2:4] == list(SHORT)
    assert lines[5].split() == ["Dos", "perros", "corren", "☃.", "sum"]
    rows = {line.split()[0]: [float(cell) for cell in line.split()[1:]] for line in lines[6:10]}
    assert list(rows) == ["Two", "dogs", "run.", "sum"]
    for cells in rows.values():
        assert sum(cells[:-1]) == pytest.approx(cells[-1], abs=0.004)
    assert rows["sum"][-1] == pytest.approx(score, abs=0.001)
    assert lines[-1] == "not known to the model, and so left out: ☃"


def test_of_a_long_pair_the_strongest_are_listed_and_the_rest_is_added_up(
    capsys: pytest.CaptureFixture[str], small_model: Model
) -> None:
    long = (LONG[0], LONG[0].replace("dog", "cat"))
    out = printed(capsys, small_model, *long, "--top", "5")
    shown = explain(*long, model=small_model).by_word()
    table = out.splitlines()[6:13]
    for line, (first, second, amount) in zip(table[:5], shown.strongest(5), strict=True):
        assert line.split() == [shown.first[first].text, shown.second[second].text, f"{amount:.3f}"]
    assert table[5].split()[:4] == ["the", "other", str(17 * 17 - 5), "pairs"]
    assert sum(float(line.split()[-1]) for line in table[:6]) == pytest.approx(shown.score, abs=0.004)
    assert table[6].split() == ["similarity", f"{shown.score:.3f}"]


def test_by_piece_shows_the_vocabulary_s_own_pieces(capsys: pytest.CaptureFixture[str], small_model: Model) -> None:
    out = printed(capsys, small_model, "A dog.", "A dog.", "--by", "piece")
    pieces = [piece.text for piece in small_model.vocabulary.trace("A dog.")]
    assert pieces[0] == "\u2581a"
    assert out.splitlines()[5].split() == [*pieces, "sum"]


def test_json_has_all_that_a_script_needs(capsys: pytest.CaptureFixture[str], small_model: Model) -> None:
    for by in ("word", "piece"):
        found = json.loads(printed(capsys, small_model, *SHORT, "--json", "--by", by))
        assert found["by"] == by
        assert found["unknown"] == ["☃"]
        assert [found[side]["text"] for side in ("first", "second")] == list(SHORT)
        cells = found["contributions"]
        assert sum(map(sum, cells)) == pytest.approx(found["score"], abs=1e-6)
        assert [sum(row) for row in cells] == pytest.approx([part["total"] for part in found["first"]["parts"]])
        assert len(cells[0]) == len(found["second"]["parts"])
    assert [part["text"] for part in json.loads(printed(capsys, small_model, *SHORT, "--json"))["first"]["parts"]] == [
        *("Two", "dogs", "run.")
    ]


@pytest.mark.parametrize(
    ("texts", "reason"),
    [
        (("", "A dog."), "the first text has no piece"),
        (("A dog.", ""), "the second text has no piece"),
        (("", ""), "neither text has a piece"),
    ],
)
def test_an_empty_text_leaves_nothing_to_explain(
    capsys: pytest.CaptureFixture[str], small_model: Model, texts: tuple[str, str], reason: str
) -> None:
    assert printed(capsys, small_model, *texts) == (
        f"similarity 0.0000\nthere is nothing to explain: {reason} that the model knows\n"
    )


def test_a_picture_is_drawn_beside(capsys: pytest.CaptureFixture[str], small_model: Model, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    out = printed(capsys, small_model, *SHORT, "--plot", str(tmp_path / "why.svg"))
    assert out.startswith("similarity")
    assert "perros" in (tmp_path / "why.svg").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["one"], 2, "expected two texts, got 1"),
        ([], 2, "expected two texts, got 0"),
        (["a", "b", "c"], 2, "expected two texts, got 3"),
        (["a", "b", "--plot", "why.gif"], 2, "why.gif: cannot draw 'gif'"),
        (["", "b", "--plot", "why.svg"], 2, "there is nothing to draw"),
        (["a", "b", "--top", "0"], 2, "--top"),
        (["a", "b", "--languages", "en", "fi"], 2, "not fi"),
    ],
)
def test_mistakes(
    capsys: pytest.CaptureFixture[str],
    small_model: Model,
    arguments: list[str],
    code: int,
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    got_code, got_message, _ = fail(capsys, "explain", "--model", str(small_model.path), *arguments)
    assert got_code == code
    assert message in got_message
    assert not list(tmp_path.iterdir())


def test_without_a_model_the_way_to_name_one_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    code, message, hint = fail(capsys, "explain", "a", "b")
    assert (code, message) == (2, "no model given")
    assert "CALQUE_MODEL" in hint


def on_a_terminal(model: Model, *texts: str, **environment: str) -> str:
    ours, theirs = pty.openpty()
    command = [sys.executable, "-c", "from calque.cli import main; main()", "explain", "-m", str(model.path), *texts]
    usual = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "COLUMNS")}
    with subprocess.Popen(command, stdout=theirs, env=usual | {"TERM": "xterm"} | environment):
        os.close(theirs)
        return read_all(ours)


COLOURS = re.compile(r"\x1b\[[\d;]*3[12][;m]")


def test_a_terminal_gets_colours_unless_none_are_wanted(small_model: Model) -> None:
    assert COLOURS.search(on_a_terminal(small_model, *SHORT))
    assert not COLOURS.search(on_a_terminal(small_model, *SHORT, NO_COLOR="1"))


def test_two_sentences_of_seventeen_words_fit_a_narrow_terminal(small_model: Model) -> None:
    seen = on_a_terminal(small_model, LONG[0], LONG[0], COLUMNS="80")
    plain = re.sub(r"\x1b\[[\d;]*m", "", seen)
    assert max(map(len, plain.splitlines())) <= 80


def test_a_pipe_gets_no_codes(capsys: pytest.CaptureFixture[str], small_model: Model) -> None:
    assert "\x1b" not in printed(capsys, small_model, *SHORT) + printed(capsys, small_model, *LONG)
    assert "\ufffd[31m" in printed(capsys, small_model, "dog\x1b[31m", "dog")
