"""The pairs of a TSV, each line with the similarity of two of its columns."""

from __future__ import annotations

from pathlib import Path

import pytest

import calque
from calque.demo import sentences
from calque.errors import CorpusError, UsageError
from calque.model import Model
from calque.tasks import similarity as task
from calque.tasks.similarity import ScoredLine, score_pairs

PAIRS = list(zip(sentences()["en"][:25], sentences()["es"][:25], strict=True))


def write(path: Path, *rows: tuple[str, ...]) -> Path:
    path.write_text("".join("\t".join(row) + "\n" for row in rows), encoding="utf-8")
    return path


def test_each_line_comes_back_with_its_score(small_model: Model, tmp_path: Path) -> None:
    scored = list(score_pairs(small_model, write(tmp_path / "pairs.tsv", *PAIRS)))
    assert [each.line for each in scored] == ["\t".join(pair) for pair in PAIRS]
    expected = [small_model.similarity(*pair) for pair in PAIRS]
    assert [each.score for each in scored] == pytest.approx(expected, abs=1e-6)


def test_columns_choose_what_is_compared_and_the_line_stays_whole(small_model: Model, tmp_path: Path) -> None:
    path = write(tmp_path / "pairs.tsv", *(("id", spanish, "0.5", english) for english, spanish in PAIRS))
    scored = list(score_pairs(small_model, path, columns=(4, 2)))
    assert scored[0].line == f"id\t{PAIRS[0][1]}\t0.5\t{PAIRS[0][0]}"
    assert scored[3].score == pytest.approx(small_model.similarity(*PAIRS[3]), abs=1e-6)


@pytest.mark.parametrize("lines_a_batch", [1, 4, 25])
def test_the_size_of_batches_does_not_show(
    small_model: Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lines_a_batch: int
) -> None:
    path = write(tmp_path / "pairs.tsv", *PAIRS)
    whole = list(score_pairs(small_model, path))
    monkeypatch.setattr(task, "_BATCH", lines_a_batch)
    parts = list(score_pairs(small_model, path))
    assert [each.line for each in parts] == [each.line for each in whole]
    assert [each.score for each in parts] == pytest.approx([each.score for each in whole], abs=1e-6)


def test_text_without_any_known_piece_scores_zero(small_model: Model, tmp_path: Path) -> None:
    path = write(tmp_path / "pairs.tsv", ("", "The dog runs."), ("", ""))
    assert list(score_pairs(small_model, path)) == [
        ScoredLine("\tThe dog runs.", "", "The dog runs.", 0.0),
        ScoredLine("\t", "", "", 0.0),
    ]


def test_an_empty_file_has_no_pairs(small_model: Model, tmp_path: Path) -> None:
    assert list(score_pairs(small_model, write(tmp_path / "pairs.tsv"))) == []


def test_a_line_without_the_column_is_an_error_with_its_line(
    small_model: Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(task, "_BATCH", 10)
    path = write(tmp_path / "pairs.tsv", *PAIRS[:12], ("alone",))
    with pytest.raises(CorpusError) as problem:
        list(score_pairs(small_model, path))
    assert problem.value.message == f"{path}, line 13: no column 2, only 1"
    assert "--columns" in str(problem.value.hint)


def test_languages_tell_separate_vocabularies_which_side_is_which(demo_bitext: dict[str, Path], tmp_path: Path) -> None:
    options = {"vocabulary": "word", "sharing": "separate-unshared", "dimension": 8, "epochs": 1, "threads": 1}
    model = calque.train(demo_bitext["en-es"], tmp_path / "model", **options)
    path = write(tmp_path / "pairs.tsv", *PAIRS)
    scored = list(score_pairs(model, path, languages=("en", "es")))
    assert scored[5].score == pytest.approx(model.similarity(*PAIRS[5], ("en", "es")), abs=1e-6)
    with pytest.raises(UsageError, match="en, es"):
        list(score_pairs(model, path))


def test_pairs_of_any_other_bitext_are_scored_too(small_model: calque.Model, tmp_path: Path) -> None:
    path = tmp_path / "pairs.jsonl"
    path.write_text('{"en": "A dog\\truns.", "es": "Un perro corre."}\n{"en": "Yes.", "es": ""}\n')
    (scored,) = score_pairs(small_model, path)
    assert scored.line == "A dog runs.\tUn perro corre."
    assert (scored.first, scored.second) == ("A dog\truns.", "Un perro corre.")
    assert scored.score == pytest.approx(small_model.similarity("A dog\truns.", "Un perro corre."))
    (swapped,) = score_pairs(small_model, path, languages=("es", "en"))
    assert swapped.first == "Un perro corre."
