"""Weights of bitexts, from their names to the model folder."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path
from typing import Any

import pytest

import calque
from calque.corpus import Bitext
from calque.errors import CorpusError, Stopped, UsageError
from calque.tasks.train import Watcher
from calque.tasks.training_run import Run
from calque.tasks.weights import bitext_weights
from calque.training import Progress

OPTIONS: dict[str, Any] = {"vocabulary": "word", "dimension": 16, "epochs": 2, "threads": 1, "batch_size": 32}

NAMED = [Bitext((f"/data/{name}.tsv.gz",)) for name in ("europarl.en-es", "europarl.en-de", "books.en-es")]


@pytest.mark.parametrize(
    ("weights", "expected"),
    [
        ({}, ()),
        ({"europarl.*": 1}, ()),
        ({"books.en-es": 2.5}, (1, 1, 2.5)),
        ({"europarl.*": 0.3}, (0.3, 0.3, 1)),
        ({"*.en-es": 2, "europarl.*": 0}, (0, 0, 2)),
        ({"europarl.*": 0, "*.en-es": 2}, (2, 0, 2)),
        ({"europarl.en-??": 0.5, "*": 3}, (3, 3, 3)),
    ],
    ids=str,
)
def test_a_bitext_has_the_weight_of_the_last_pattern_that_fits_its_name(
    weights: dict[str, float], expected: tuple[float, ...]
) -> None:
    assert bitext_weights(NAMED, weights) == expected


def test_a_name_that_looks_like_a_pattern_is_still_a_name() -> None:
    assert bitext_weights([Bitext(("part[1].tsv",)), Bitext(("part1.tsv",))], {"part[1]": 3})[0] == 3


@pytest.mark.parametrize("wrong", [-1, -0.001, float("nan"), float("inf"), 1e6])
def test_a_weight_out_of_range_is_refused(wrong: float) -> None:
    with pytest.raises(UsageError, match=r"weight of europarl\.en-es: expected a number from 0 to 1000, got"):
        bitext_weights(NAMED, {"europarl.en-es": wrong})


def test_a_name_that_no_bitext_has_is_refused_with_those_that_there_are() -> None:
    with pytest.raises(UsageError, match=r"given for europarl\.en-fr, but there is no such bitext") as problem:
        bitext_weights(NAMED, {"europarl.en-fr": 2})
    assert problem.value.hint == "there are: europarl.en-es, europarl.en-de, books.en-es"


def test_something_must_be_left_to_learn_from() -> None:
    with pytest.raises(UsageError, match="every bitext has the weight 0"):
        bitext_weights(NAMED, {"*": 0})


def test_weights_of_one_make_the_same_folder_as_none(demo_bitext: dict[str, Path], tmp_path: Path) -> None:
    plain = calque.train(demo_bitext["en-es"], tmp_path / "plain", **OPTIONS)
    weighted = calque.train(demo_bitext["en-es"], tmp_path / "weighted", weights={"demo.*": 1.0}, **OPTIONS)
    assert weighted.checksum == plain.checksum
    assert weighted.about.data == plain.about.data


def test_an_epoch_sees_what_the_weights_say_and_the_model_tells_them(
    demo_bitext: dict[str, Path], tmp_path: Path
) -> None:
    chosen = [demo_bitext["en-es"], demo_bitext["en-de"], demo_bitext["en-fr"]]
    weights = {"demo.en-de": 0.5, "demo.en-fr": 1.25}
    model = calque.train(chosen, tmp_path / "m", weights=weights, **OPTIONS)
    assert model.about.data == ("demo.en-es:920", "demo.en-de:920×0.5", "demo.en-fr:920×1.25")
    log = [json.loads(line) for line in (tmp_path / "m" / "training.jsonl").read_text().splitlines()]
    assert log[-1]["steps"] == 2 * (-(-920 // 32) + -(-460 // 32) + -(-1150 // 32))


def test_a_weighted_training_that_was_stopped_ends_with_the_same_bytes(
    demo_bitext: dict[str, Path], tmp_path: Path
) -> None:
    chosen = [demo_bitext["en-es"], demo_bitext["en-de"]]
    weights = {"demo.en-de": 0.3, "demo.en-es": 1.7}
    straight = calque.train(chosen, tmp_path / "straight", weights=weights, **OPTIONS)

    def interrupt(now: Progress) -> None:
        if now.step >= 20:
            os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(Stopped):
        calque.train(chosen, tmp_path / "m", weights=weights, watcher=Watcher(progress=interrupt), **OPTIONS)
    assert Run.read(tmp_path / "m").weights == (1.7, 0.3)
    resumed = calque.resume(tmp_path / "m", threads=1)
    assert resumed.checksum == straight.checksum
    assert resumed.about.data == straight.about.data


def test_a_run_whose_weights_are_not_those_of_its_bitexts_is_damaged(
    demo_bitext: dict[str, Path], tmp_path: Path
) -> None:
    calque.train(demo_bitext["en-es"], tmp_path / "m", weights={"*": 0.5}, **OPTIONS)
    saved = json.loads((tmp_path / "m" / "training.json").read_text(encoding="utf-8"))
    saved["weights"] = [0.5, 0.5]
    (tmp_path / "m" / "training.json").write_text(json.dumps(saved), encoding="utf-8")
    with pytest.raises(calque.CalqueError, match="2 weights for 1 bitexts"):
        Run.read(tmp_path / "m")


def test_weights_that_leave_no_pair_leave_no_folder(demo_bitext: dict[str, Path], tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="too small"):
        calque.train(demo_bitext["en-es"], tmp_path / "m", weights={"*": 0.0005}, **OPTIONS)
    assert not (tmp_path / "m").exists()
