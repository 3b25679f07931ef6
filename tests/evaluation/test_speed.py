"""Sentences a second, by a clock that only the encoder moves."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import calque
from calque.errors import UsageError
from calque.evaluation import speed
from calque.evaluation.sentences import MOST, find_sentences
from calque.evaluation.subject import Subject, of_model

TEXTS = ["A dog runs."] * 10_000


class Worker:
    """Takes so many seconds a sentence."""

    def __init__(self, seconds: float, monkeypatch: pytest.MonkeyPatch) -> None:
        self.seconds, self.now, self.calls = seconds, 0.0, list[int]()
        monkeypatch.setattr(speed, "time", SimpleNamespace(perf_counter=lambda: self.now))

    def encode(self, texts: Sequence[str], *, threads: int | None, language: str | None) -> Any:
        self.now += self.seconds * len(texts)
        self.calls.append(len(texts))
        return np.zeros((len(texts), 1), np.float32)

    @property
    def subject(self) -> Subject:
        return Subject("worker", self.encode, lambda name, n: f"{name}|n:{n}")


def test_a_fast_encoder_is_given_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    worker = Worker(1e-5, monkeypatch)
    found = speed.measure_speed(worker.subject, "speed:encode", TEXTS, threads=1)
    assert found.values["sentences_per_second"] == pytest.approx(1e5)
    assert (found.n, found.signature) == (10_000, "speed:encode|n:10000")
    assert worker.calls[-speed.PASSES :] == [10_000] * speed.PASSES
    assert found.notes == {"threads": 1, "fastest": 100_000, "passes": speed.PASSES}
    assert found.intervals == {}


@pytest.mark.parametrize("count", [2, 500, 10_000])
def test_new_text_comes_first_and_has_not_been_seen_while_its_speed_was_guessed(
    count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    worker = Worker(1e-5, monkeypatch)
    met: set[str] = set()

    def remembers(texts: Sequence[str], *, threads: int | None, language: str | None) -> Any:
        new = set(texts) - met
        met.update(new)
        worker.now += 9 * worker.seconds * len(new)
        return worker.encode(texts, threads=threads, language=language)

    subject = Subject("worker", remembers, lambda name, n: f"{name}|n:{n}")
    found = speed.measure_speed(subject, "speed:encode", [f"{at}" for at in range(count)])
    assert found.values == pytest.approx({"first_time": 1e4, "sentences_per_second": 1e5})
    assert list(found.values) == ["first_time", "sentences_per_second"]


def test_a_slow_encoder_is_given_what_three_seconds_allow(monkeypatch: pytest.MonkeyPatch) -> None:
    worker = Worker(1e-3, monkeypatch)
    found = speed.measure_speed(worker.subject, "speed:encode", TEXTS)
    assert found.values["sentences_per_second"] == pytest.approx(1000)
    assert 2990 <= found.n <= 3000
    assert set(worker.calls[-speed.PASSES :]) == {found.n}


def test_the_slowest_encoder_gets_a_few_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    assert speed.measure_speed(Worker(1.0, monkeypatch).subject, "speed:encode", TEXTS).n == 256
    assert speed.measure_speed(Worker(1.0, monkeypatch).subject, "speed:encode", TEXTS[:7]).n == 7


def test_a_clock_that_stands_still_is_no_division_by_zero(monkeypatch: pytest.MonkeyPatch) -> None:
    found = speed.measure_speed(Worker(0.0, monkeypatch).subject, "speed:encode", TEXTS[:5])
    assert np.isfinite(found.values["sentences_per_second"])


def test_a_real_model_has_a_rate(small_model: calque.Model) -> None:
    found = speed.measure_speed(of_model(small_model), "speed:encode", TEXTS[:500], threads=2)
    assert found.values["sentences_per_second"] > 0
    assert found.notes["fastest"] >= round(found.values["sentences_per_second"])
    assert found.notes["threads"] == 2


def test_text_comes_from_any_file_and_the_longest_cell_is_the_sentence(tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_text("4.5\tA dog runs.\tA dog.\n\n   \n")
    (tmp_path / "below").mkdir()
    (tmp_path / "below" / "b.txt").write_text("Un perro.\n")
    (tmp_path / "README.md").write_text("not this\n")
    (tmp_path / "x.gold").write_text("nor this\n")
    assert find_sentences(tmp_path) == ["A dog runs.", "Un perro."]
    assert find_sentences(tmp_path / "a.tsv") == ["A dog runs."]


def test_no_more_is_read_than_the_paper_took(tmp_path: Path) -> None:
    (tmp_path / "many.txt").write_text("a\n" * (MOST + 5))
    assert len(find_sentences(tmp_path)) == MOST


def test_a_folder_without_text_is_a_mistake(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no text in"):
        find_sentences(tmp_path)
