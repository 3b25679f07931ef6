"""A training that was stopped early does not go on with another text, model or development set."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

import calque
from calque.errors import CalqueError, CorpusError, ModelError
from calque.tasks.train import Watcher

WORDS: dict[str, Any] = {"vocabulary": "word", "epochs": 2, "dimension": 8, "threads": 1}


class Enough(Exception):
    """As if the process had been killed there."""


def stop(*told: object) -> None:
    raise Enough


def text(first: str) -> str:
    return "".join(f"{first} {number % 7} runs\tperro {number % 7} corre\n" for number in range(300))


@pytest.fixture
def bitext(tmp_path: Path) -> Path:
    path = tmp_path / "text.en-es.tsv"
    path.write_text(text("dog"))
    return path


def kill_before_the_first_checkpoint(bitext: Path, out: Path, **options: Any) -> None:
    with pytest.raises(Enough):
        calque.train(bitext, out, watcher=Watcher(progress=stop), **options)
    assert not (out / "checkpoint.safetensors").exists()


def kill_while_reading(bitext: Path, out: Path) -> None:
    with pytest.raises(Enough):
        calque.train(bitext, out, watcher=Watcher(pairs_read=stop), **WORDS)


def rewrite_unseen(path: Path, content: str) -> None:
    """With the size and the time that it had."""
    before = path.stat()
    path.write_text(content)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert path.stat().st_size == before.st_size


def test_a_bitext_that_changed_after_it_was_read_is_refused_until_it_is_back(bitext: Path, tmp_path: Path) -> None:
    kill_before_the_first_checkpoint(bitext, tmp_path / "model", **WORDS)
    rewrite_unseen(bitext, text("dog").replace("dog 3 runs", "dog 4 runs"))
    for _ in range(2):
        with pytest.raises(CorpusError, match=r"the bitext has changed since the training in .*model began"):
            calque.resume(tmp_path / "model", threads=1)
    bitext.write_text(text("dog"))
    resumed = calque.resume(tmp_path / "model", threads=1)
    assert resumed.checksum == calque.train(bitext, tmp_path / "whole", **WORDS).checksum


def test_a_bitext_that_changed_while_it_was_first_read_is_refused(bitext: Path, tmp_path: Path) -> None:
    kill_while_reading(bitext, tmp_path / "model")
    bitext.write_text(text("cat and dog"))
    with pytest.raises(CorpusError, match=r"the bitext has changed since the training in .*model began"):
        calque.resume(tmp_path / "model", threads=1)


def test_a_bitext_that_changes_between_vocabulary_and_tokens_is_not_trained_on(bitext: Path, tmp_path: Path) -> None:
    def exchange(stage: str) -> None:
        if stage == "reading":
            bitext.write_text(text("cat and dog"))

    with pytest.raises(CorpusError, match="the bitext has changed"):
        calque.train(bitext, tmp_path / "model", watcher=Watcher(stage=exchange), **WORDS)
    assert not (tmp_path / "model").exists()


def test_a_finished_training_remembers_what_it_read_and_no_times_of_files(bitext: Path, tmp_path: Path) -> None:
    calque.train(bitext, tmp_path / "one", **WORDS)
    os.utime(bitext, (1, 1))
    calque.train(bitext, tmp_path / "two", **WORDS)
    one, two = ((tmp_path / name / "training.json").read_text() for name in ("one", "two"))
    assert one == two
    assert json.loads(one)["bitext_digest"]


def test_a_bitext_that_is_gone_is_named_before_anything_is_said_of_a_change(bitext: Path, tmp_path: Path) -> None:
    kill_while_reading(bitext, tmp_path / "model")
    bitext.unlink()
    with pytest.raises(CalqueError, match=r"cannot read .*text\.en-es\.tsv"):
        calque.resume(tmp_path / "model")


def test_another_model_in_the_place_of_the_one_it_started_from_is_refused(
    demo_bitext: dict[str, Path], small_model: calque.Model, tmp_path: Path
) -> None:
    start, out = tmp_path / "start", tmp_path / "model"
    options = {"epochs": 1, "threads": 1}
    shutil.copytree(str(small_model.path), start)
    kill_before_the_first_checkpoint(demo_bitext["en-es"], out, init=start, **options)
    shutil.rmtree(start)
    calque.train(demo_bitext["en-es"], start, vocabulary_size=1000, dimension=64, epochs=0, seed=2)
    with pytest.raises(ModelError, match=r"start is not the model that the training began from") as problem:
        calque.resume(out)
    assert "bring it back" in str(problem.value.hint)
    shutil.rmtree(start)
    shutil.copytree(str(small_model.path), start)
    resumed = calque.resume(out, threads=1)
    whole = calque.train(demo_bitext["en-es"], tmp_path / "whole", init=start, **options)
    assert resumed.checksum == whole.checksum


@pytest.mark.parametrize("minutes", [10.0, 0.0], ids=["before a checkpoint", "after one"])
def test_another_development_set_is_refused(bitext: Path, tmp_path: Path, minutes: float) -> None:
    dev, out = tmp_path / "dev.tsv", tmp_path / "model"
    judged = "".join(f"{number % 5}\tdog {number % 7} runs\tperro {number % 3} corre\n" for number in range(30))
    dev.write_text(judged)
    seen: list[object] = []

    def stop_at_the_second(progress: object) -> None:
        seen.append(progress)
        if len(seen) == 2:
            raise Enough

    with pytest.raises(Enough):
        calque.train(
            bitext, out, dev=dev, watcher=Watcher(progress=stop_at_the_second, checkpoint_minutes=minutes), **WORDS
        )
    assert (out / "checkpoint.safetensors").exists() == (minutes == 0)
    dev.write_text(judged.replace("4\t", "1\t"))
    with pytest.raises(CorpusError, match=r"the development set has changed since the training in .*model began"):
        calque.resume(out)
    dev.write_text(judged)
    assert calque.resume(out).about.development is not None


def test_a_training_of_an_earlier_version_that_remembers_less_goes_on(
    demo_bitext: dict[str, Path], small_model: calque.Model, tmp_path: Path
) -> None:
    out, dev = tmp_path / "model", tmp_path / "dev.tsv"
    dev.write_text("5\ta dog\tun perro\n1\ta dog\tuna casa\n")
    kill_before_the_first_checkpoint(demo_bitext["en-es"], out, init=small_model.path, dev=dev, epochs=1, threads=1)
    saved = json.loads((out / "training.json").read_text())
    for name in ("bitext_digest", "bitext_stamps", "development_digest"):
        del saved[name]
    del saved["init"]["checksum"]
    (out / "training.json").write_text(json.dumps(saved))
    assert calque.resume(out, threads=1).about.epoch == 1
