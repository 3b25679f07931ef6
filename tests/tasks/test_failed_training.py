"""Training that cannot be done says why, and leaves the place as it was: no model, no half-written file."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path
from typing import Any

import pytest

import calque
from calque.errors import CalqueError, CorpusError, UsageError

SMALL: dict[str, Any] = {"vocabulary_size": 400, "dimension": 16, "epochs": 2, "threads": 1}


def untouched(folder: Path) -> bool:
    return not folder.exists() or not any(folder.iterdir())


def assert_fails(kind: type[CalqueError], message: str, bitext: Path | list[Path], out: Path, **options: Any) -> None:
    with pytest.raises(kind, match=message):
        calque.train(bitext, out, **SMALL | options)
    assert untouched(out), f"left behind: {sorted(path.name for path in out.iterdir())}"


def test_an_empty_bitext(tmp_path: Path) -> None:
    (tmp_path / "empty.tsv").touch()
    assert_fails(CorpusError, r"empty\.tsv is empty", tmp_path / "empty.tsv", tmp_path / "model")


@pytest.mark.parametrize("vocabulary", ["sp", "word", "trigram"])
def test_a_bitext_of_empty_sides(tmp_path: Path, vocabulary: str) -> None:
    (tmp_path / "blank.tsv").write_text(" \t \na\t\n\tb\n")
    assert_fails(
        CorpusError, "no words|no sentence pairs", tmp_path / "blank.tsv", tmp_path / "model", vocabulary=vocabulary
    )


def test_a_vocabulary_larger_than_the_bitext_supports(demo_bitext: dict[str, Path], tmp_path: Path) -> None:
    assert_fails(CorpusError, "supports at most", demo_bitext["en-es"], tmp_path / "model", vocabulary_size=50_000)


def test_a_byte_that_is_not_utf8_in_the_middle(demo_bitext: dict[str, Path], tmp_path: Path) -> None:
    lines = demo_bitext["en-es"].read_bytes().splitlines(keepends=True)
    lines[500] = b"caf\xe9\tcafe\n"
    (tmp_path / "bad.tsv").write_bytes(b"".join(lines))
    assert_fails(CorpusError, r"bad\.tsv, line 501: not UTF-8 \(byte 0xe9", tmp_path / "bad.tsv", tmp_path / "model")


def test_a_bad_line_found_when_the_vocabulary_is_another_model_s(
    demo_bitext: dict[str, Path], small_model: calque.Model, tmp_path: Path
) -> None:
    (tmp_path / "bad.tsv").write_bytes(demo_bitext["en-es"].read_bytes() + b"no tab\n")
    message = r"bad\.tsv, line 921: expected 2 columns, got 1"
    with pytest.raises(CorpusError, match=message):
        calque.train(tmp_path / "bad.tsv", tmp_path / "model", init=small_model.path, epochs=1, threads=1)
    assert untouched(tmp_path / "model")


def test_a_line_of_three_columns_in_the_second_bitext(demo_bitext: dict[str, Path], tmp_path: Path) -> None:
    (tmp_path / "bad.tsv").write_text("a\tb\na\tb\tc\n")
    bitexts = [demo_bitext["en-es"], tmp_path / "bad.tsv"]
    assert_fails(CorpusError, r"bad\.tsv, line 2: expected 2 columns, got 3", bitexts, tmp_path / "model")


def test_parallel_files_of_unequal_length(tmp_path: Path) -> None:
    (tmp_path / "a.en").write_text("one\ntwo\n")
    (tmp_path / "a.es").write_text("uno\n")
    files = [tmp_path / "a.en", tmp_path / "a.es"]
    assert_fails(CorpusError, r"a\.es has 1 lines, but .*a\.en has 2", files, tmp_path / "model")


def test_a_missing_bitext(tmp_path: Path) -> None:
    assert_fails(UsageError, "cannot read", tmp_path / "nowhere.tsv", tmp_path / "model")


def test_a_missing_development_set(demo_bitext: dict[str, Path], tmp_path: Path) -> None:
    missing = tmp_path / "nowhere.tsv"
    assert_fails(UsageError, r"cannot read .*nowhere\.tsv", demo_bitext["en-es"], tmp_path / "model", dev=missing)


def test_a_development_set_with_a_bad_score(demo_bitext: dict[str, Path], tmp_path: Path) -> None:
    dev = tmp_path / "dev.tsv"
    dev.write_text("5\ta\tb\nhigh\ta\tb\n")
    assert_fails(CorpusError, "line 2: expected a number", demo_bitext["en-es"], tmp_path / "model", dev=dev)


def test_a_development_set_whose_language_a_separate_vocabulary_must_know(
    demo_bitext: dict[str, Path], tmp_path: Path
) -> None:
    dev = tmp_path / "plain.tsv"
    dev.write_text("5\tthe dog\tel perro\n1\tthe dog\tla casa\n")
    options = {"dev": dev, "sharing": "separate"}
    with pytest.raises(UsageError, match="en, es") as problem:
        calque.train(demo_bitext["en-es"], tmp_path / "model", **SMALL | options)
    assert "en-es.tsv" in str(problem.value.hint), "a file's name tells languages here, there is no option for it"
    assert untouched(tmp_path / "model")


def test_a_missing_model_to_start_from(demo_bitext: dict[str, Path], tmp_path: Path) -> None:
    assert_fails(CalqueError, "no model at", demo_bitext["en-es"], tmp_path / "model", init=tmp_path / "nowhere")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"threads": 0}, "threads: expected 1 or more, got 0"),
        ({"threads": -1}, "threads: expected 1 or more, got -1"),
        ({"dimension": 0}, "dimension: expected at least 1, got 0"),
        ({"epochs": -1}, "epochs: expected at least 0, got -1"),
        ({"margin": float("nan")}, "margin: expected at least 0, got nan"),
        ({"learning_rate": float("nan")}, "learning-rate: expected at least 0, got nan"),
        ({"learning_rate": float("inf")}, "learning-rate: expected .* got inf"),
        ({"recipe": "cake"}, "recipe: expected one of .* got cake"),
        ({"no_such_option": 1}, "no such training option: no_such_option"),
    ],
)
def test_an_option_out_of_range(
    demo_bitext: dict[str, Path], tmp_path: Path, options: dict[str, Any], message: str
) -> None:
    assert_fails(UsageError, message, demo_bitext["en-es"], tmp_path / "model", **options)


def test_a_bitext_of_unknown_languages_with_separate_vocabularies(demo_bitext: dict[str, Path], tmp_path: Path) -> None:
    plain = tmp_path / "plain.tsv"
    plain.write_bytes(demo_bitext["en-es"].read_bytes())
    assert_fails(UsageError, "need to know the languages", plain, tmp_path / "model", sharing="separate")


def test_an_output_folder_below_a_file(demo_bitext: dict[str, Path], tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    with pytest.raises(CalqueError, match="file"):
        calque.train(demo_bitext["en-es"], tmp_path / "file" / "model", **SMALL)
    assert (tmp_path / "file").read_text() == "mine"


def test_an_output_folder_that_nobody_may_look_into(
    demo_bitext: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: Path) -> None:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))

    monkeypatch.setattr(Path, "iterdir", refuse)
    with pytest.raises(UsageError, match=r"cannot tell whether .*model is empty: Permission denied") as problem:
        calque.train(demo_bitext["en-es"], tmp_path / "model", **SMALL)
    assert "choose another --out" in str(problem.value.hint)


def test_an_output_folder_where_nothing_can_be_made(demo_bitext: dict[str, Path]) -> None:
    with pytest.raises(CalqueError, match="/proc/nowhere"):
        calque.train(demo_bitext["en-es"], "/proc/nowhere/model", **SMALL)


@pytest.mark.filterwarnings("error::RuntimeWarning")
@pytest.mark.parametrize("development", [True, False])
def test_vectors_that_are_no_numbers_are_an_error_and_no_model(
    demo_bitext: dict[str, Path], tmp_path: Path, development: bool
) -> None:
    dev = tmp_path / "dev.tsv"
    dev.write_text("5\tthe dog\tel perro\n1\tthe dog\tla casa\n")
    options = {"learning_rate": 1e38, "epochs": 5, "dev": dev if development else None}
    with pytest.raises(CalqueError, match="number") as problem:
        calque.train(demo_bitext["en-es"], tmp_path / "model", **SMALL | options)
    assert "learning" in str(problem.value.hint)
    assert not (tmp_path / "model" / "config.json").exists()
    for line in (tmp_path / "model" / "training.jsonl").read_text().splitlines():
        json.loads(line)
