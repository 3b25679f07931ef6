"""Bitext in, a folder with a BLSTM out, as the command line and a stopped training see it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import calque
from calque.cli import main
from calque.demo import sentences
from calque.encoder import BlstmEncoder, random_parameters
from calque.errors import Stopped, UsageError
from calque.tasks.train import Watcher
from calque.training import Progress

pytest.importorskip("torch")

SMALL: dict[str, Any] = {"encoder": "blstm", "vocabulary_size": 400, "dimension": 16, "epochs": 2, "threads": 1}
COMMAND = [sys.executable, "-c", "from calque.cli import main; main()", "train"]


@pytest.fixture(scope="module")
def model(demo_bitext: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> calque.Model:
    return calque.train(demo_bitext["en-es"], tmp_path_factory.mktemp("blstm") / "model", **SMALL)


def assert_same(folder: Path, expected: calque.Model) -> None:
    assert (folder / "model.safetensors").read_bytes() == (Path(str(expected.path)) / "model.safetensors").read_bytes()


def test_a_trained_folder_opens_as_a_blstm_that_says_how_it_was_made(model: calque.Model) -> None:
    opened = calque.load(model.path)
    assert isinstance(opened.encoder, BlstmEncoder)
    training = opened.about.training
    assert (training["encoder"], training["scrambling"], training["learning_rate"]) == ("blstm", 0.3, 0.01)
    assert not opened.embeddings[0].any()
    assert np.isfinite(opened.encode(sentences()["en"])).all()


@pytest.mark.parametrize("kind", ["word", "trigram"])
@pytest.mark.parametrize("sharing", ["joint", "separate-unshared"])
def test_every_vocabulary_trains(demo_bitext: dict[str, Path], tmp_path: Path, kind: str, sharing: str) -> None:
    options = SMALL | {"vocabulary": kind, "sharing": sharing, "epochs": 1}
    trained = calque.train(demo_bitext["en-es"], tmp_path / "model", **options)
    assert trained.signature("x", 1).split("|")[2] == f"blstm-{kind}:{trained.vocabulary.size}"
    assert trained.similarity("The dog sleeps.", "El perro duerme.", ("en", "es")) != 0


def test_no_epochs_give_the_random_encoder(demo_bitext: dict[str, Path], tmp_path: Path) -> None:
    random = calque.train(demo_bitext["en-es"], tmp_path / "model", **SMALL | {"epochs": 0}, seed=7)
    for name, array in random_parameters("blstm", 400, 16, 7, unknown=0).items():
        np.testing.assert_array_equal(random.encoder.parameters[name], array)


def test_the_same_seed_gives_the_same_bytes_and_another_does_not(
    demo_bitext: dict[str, Path], model: calque.Model, tmp_path: Path
) -> None:
    calque.train(demo_bitext["en-es"], tmp_path / "same", **SMALL | {"threads": 2})
    assert_same(tmp_path / "same", model)
    assert calque.train(demo_bitext["en-es"], tmp_path / "other", **SMALL, seed=2).checksum != model.checksum


def test_a_stopped_training_goes_on_to_the_same_bytes(
    demo_bitext: dict[str, Path], model: calque.Model, tmp_path: Path
) -> None:
    def stop(now: Progress) -> None:
        if now.step == 11:  # in the middle of the second epoch
            os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(Stopped):
        calque.train(demo_bitext["en-es"], tmp_path / "model", **SMALL, watcher=Watcher(progress=stop))
    calque.resume(tmp_path / "model", threads=2)
    assert_same(tmp_path / "model", model)


def test_a_killed_training_goes_on_to_the_same_bytes(
    demo_bitext: dict[str, Path], model: calque.Model, tmp_path: Path
) -> None:
    out = tmp_path / "model"
    options = [part for name, value in SMALL.items() for part in (f"--{name.replace('_', '-')}", str(value))]
    arguments = [*COMMAND, str(demo_bitext["en-es"]), "--out", str(out), *options, "--checkpoint-minutes", "0"]
    process = subprocess.Popen(arguments, stderr=subprocess.DEVNULL)
    while process.poll() is None and not (out / "checkpoint.safetensors").exists():
        time.sleep(0.002)
    process.kill()
    process.wait()
    if not (out / "config.json").exists():
        calque.resume(out, threads=1)
    assert_same(out, model)


def test_training_can_start_from_another_blstm(
    demo_bitext: dict[str, Path], model: calque.Model, tmp_path: Path
) -> None:
    same = calque.train(demo_bitext["en-de"], tmp_path / "same", init=model.path, epochs=0, threads=1)
    assert same.checksum == model.checksum
    further = calque.train(demo_bitext["en-de"], tmp_path / "further", init=model.path, epochs=1, threads=1)
    assert isinstance(further.encoder, BlstmEncoder)
    assert further.about.training["learning_rate"] == 0.01
    for name, array in model.encoder.parameters.items():
        assert further.encoder.parameters[name].shape == array.shape
        assert (further.encoder.parameters[name] != array).any()


def test_another_encoder_cannot_start_from_a_model(
    demo_bitext: dict[str, Path], model: calque.Model, small_model: calque.Model, tmp_path: Path
) -> None:
    for start, encoder in ((model, "average"), (small_model, "blstm")):
        with pytest.raises(UsageError, match=rf"has the encoder \w+, and {encoder} cannot start from it") as problem:
            calque.train(demo_bitext["en-de"], tmp_path / "model", init=start.path, encoder=encoder)
        assert start.encoder.name in str(problem.value.hint)
    assert not (tmp_path / "model").exists()


def test_the_epoch_that_is_best_on_the_development_set_is_kept(demo_bitext: dict[str, Path], tmp_path: Path) -> None:
    english, spanish = sentences()["en"][:40], sentences()["es"][:40]
    right = [f"5\t{one}\t{two}\n" for one, two in zip(english, spanish, strict=True)]
    wrong = [f"0\t{one}\t{two}\n" for one, two in zip(english, spanish[1:], strict=False)]
    (tmp_path / "dev.en-es.tsv").write_text("".join(right + wrong), encoding="utf-8")
    chosen = calque.train(demo_bitext["en-es"], tmp_path / "model", dev=tmp_path / "dev.en-es.tsv", **SMALL)
    log = [json.loads(line) for line in (tmp_path / "model" / "training.jsonl").read_text().splitlines()]
    scores = [line["development"] for line in log if line["ends_epoch"]]
    assert chosen.about.epoch == 1 + int(np.argmax(scores))
    cosines = chosen.similarities(english + english[:-1], spanish + spanish[1:])
    pearson = 100 * np.corrcoef(cosines, [5] * 40 + [0] * 39)[0, 1]
    assert pearson == pytest.approx(max(scores), abs=0.01)


def test_the_commands_work_with_its_folder(
    model: calque.Model, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["info", str(model.path), "--json"])
    told = json.loads(capsys.readouterr().out)
    assert (told["encoder"], told["vocabulary"], told["rows"]) == ("blstm", "sp", 400)
    main(["similarity", "--model", str(model.path), "A dog", "Un perro"])
    assert float(capsys.readouterr().out) == pytest.approx(model.similarity("A dog", "Un perro"), abs=1e-4)
    (tmp_path / "lines.txt").write_text("A dog\n\nUn perro\n", encoding="utf-8")
    main(["encode", "--model", str(model.path), str(tmp_path / "lines.txt"), "-o", str(tmp_path / "out.npy")])
    np.testing.assert_array_equal(np.load(tmp_path / "out.npy"), model.encode(["A dog", "", "Un perro"]))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--scrambling", "0.3"], "scrambling means nothing to an average"),
        (["--encoder", "blstm", "--scrambling", "1.1"], "scrambling: expected at most 1, got 1.1"),
        (["--encoder", "blstm", "--dimension", "15"], "dimension: expected an even number"),
        (["--encoder", "gru"], "gru"),
    ],
)
def test_options_that_make_no_sense_are_refused(
    demo_bitext: dict[str, Path],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    options: list[str],
    message: str,
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["train", str(demo_bitext["en-es"]), "--out", str(tmp_path / "model"), *options])
    assert ended.value.code == 2
    assert message in capsys.readouterr().err
    assert not (tmp_path / "model").exists()
