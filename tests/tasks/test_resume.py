"""A training that was stopped, by whatever means, goes on and ends with the bytes it would have had."""

from __future__ import annotations

import errno
import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import calque
from calque.errors import CalqueError, CorpusError, Stopped, UsageError
from calque.tasks.train import Watcher
from calque.tasks.trained import trained
from calque.training import Checkpoint, Progress

COMMAND = [sys.executable, "-c", "from calque.cli import main; main()", "train"]
OPTIONS = {"vocabulary_size": 400, "dimension": 16, "epochs": 60, "annealing": 5}
UNDER_WAY = ["checkpoint.safetensors", "training.jsonl"]


@pytest.fixture(scope="module")
def undisturbed(demo_bitext: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> calque.Model:
    out = tmp_path_factory.mktemp("undisturbed") / "model"
    return calque.train([demo_bitext["en-es"], demo_bitext["en-de"]], out, threads=1, **OPTIONS)


def start(demo_bitext: dict[str, Path], out: Path, *more: str) -> subprocess.Popen[str]:
    options = [part for name, value in OPTIONS.items() for part in (f"--{name.replace('_', '-')}", str(value))]
    bitexts = [str(demo_bitext["en-es"]), str(demo_bitext["en-de"])]
    options += ["--checkpoint-minutes", "0"]  # epochs of a blink would not be saved
    arguments = [*COMMAND, *bitexts, "--out", str(out), "--threads", "1", *options, *more]
    return subprocess.Popen(arguments, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def wait_until_under_way(process: subprocess.Popen[str], out: Path) -> None:
    while process.poll() is None and not all((out / name).exists() for name in UNDER_WAY):
        time.sleep(0.002)


def assert_same(folder: Path, undisturbed: calque.Model) -> None:
    assert undisturbed.path is not None
    assert (folder / "model.safetensors").read_bytes() == (undisturbed.path / "model.safetensors").read_bytes()
    assert calque.load(folder).vocabulary.pieces == undisturbed.vocabulary.pieces


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_saves_and_says_how_to_resume(
    demo_bitext: dict[str, Path], undisturbed: calque.Model, tmp_path: Path, number: signal.Signals
) -> None:
    out = tmp_path / "model"
    process = start(demo_bitext, out)
    wait_until_under_way(process, out)
    process.send_signal(number)
    stdout, stderr = process.communicate()
    assert (process.returncode, stdout) == (130, "")
    assert stderr.endswith(f"error: stopped; everything so far is saved\n\nhint: calque train --resume {out}\n")
    assert not (out / "config.json").exists()
    finished = subprocess.run([*COMMAND, "--resume", str(out), "--threads", "1"], capture_output=True, text=True)
    assert finished.returncode == 0, finished.stderr
    assert_same(out, undisturbed)


def test_being_killed_at_any_moment_changes_nothing(
    demo_bitext: dict[str, Path], undisturbed: calque.Model, tmp_path: Path
) -> None:
    out = tmp_path / "model"
    moments = random.Random(4)
    process = start(demo_bitext, out, "--checkpoint-minutes", "0")
    for _ in range(5):
        wait_until_under_way(process, out)
        time.sleep(moments.uniform(0, 0.8))
        process.kill()
        process.communicate()
        process = subprocess.Popen(
            [*COMMAND, "--resume", str(out), "--threads", "1", "--checkpoint-minutes", "0"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
    _, stderr = process.communicate()
    assert process.returncode == 0 or "this training has ended" in stderr, stderr
    assert_same(out, undisturbed)


def test_what_a_killed_run_was_writing_is_cleared_away(stopped: Path) -> None:
    (stopped / ".checkpoint.safetensors.k1ll3d.unfinished").write_bytes(b"half")
    calque.resume(stopped)
    assert not [path.name for path in stopped.iterdir() if path.name.startswith(".")]


def test_what_is_to_be_trained_once_is_gone_on_with_and_then_opened(stopped: Path) -> None:
    said: list[str] = []
    for _ in range(2):
        model = trained(stopped, lambda: pytest.fail("begun anew"), going_on=lambda: said.append("going on"))
        assert model.path == stopped
    assert said == ["going on"]


def test_a_run_killed_before_its_first_checkpoint_starts_again(
    demo_bitext: dict[str, Path], undisturbed: calque.Model, tmp_path: Path
) -> None:
    out = tmp_path / "model"
    process = start(demo_bitext, out)
    while process.poll() is None and not (out / "training.json").exists():
        time.sleep(0.001)
    process.kill()
    process.communicate()
    calque.resume(out, threads=1)
    assert_same(out, undisturbed)


def stop_after(epochs: int) -> Watcher:
    """As Ctrl-C would, in this process."""

    def progress(now: Progress) -> None:
        if now.ends_epoch and now.epoch == epochs:
            os.kill(os.getpid(), signal.SIGINT)

    return Watcher(progress=progress)


@pytest.fixture
def stopped(tmp_path: Path) -> Path:
    """A run stopped after two of four epochs, whose bitext lies beside it."""
    bitext = tmp_path / "text.en-es.tsv"
    bitext.write_text("".join(f"dog {number % 7} runs\tperro {number % 7} corre\n" for number in range(300)))
    with pytest.raises(Stopped):
        calque.train(bitext, tmp_path / "model", vocabulary="word", epochs=4, dimension=8, watcher=stop_after(2))
    return tmp_path / "model"


def test_a_stopped_run_goes_on_where_it_stood(stopped: Path) -> None:
    calque.resume(stopped)
    lines = [json.loads(line) for line in (stopped / "training.jsonl").read_text().splitlines()]
    assert [line["epoch"] for line in lines if line["ends_epoch"]] == [1, 2, 3, 4]


def test_a_run_can_be_stopped_again_and_again(stopped: Path) -> None:
    with pytest.raises(Stopped):
        calque.resume(stopped, watcher=stop_after(3))
    assert calque.resume(stopped).about.epoch == 4


def test_the_best_epoch_so_far_survives_a_stop(tmp_path: Path) -> None:
    bitext, dev = tmp_path / "text.en-es.tsv", tmp_path / "dev.tsv"
    bitext.write_text("".join(f"dog {number} runs\tperro {number} corre\n" for number in range(300)))
    # Judged upside down, so that the first epoch is the best.
    dev.write_text("".join(f"{n % 2}\tdog {n} runs\tperro {n + n % 2} corre\n" for n in range(60)))
    options = {"vocabulary": "word", "epochs": 6, "dimension": 8, "dev": dev, "threads": 1}
    whole = calque.train(bitext, tmp_path / "whole", **options)
    assert whole.about.epoch < 3
    with pytest.raises(Stopped):
        calque.train(bitext, tmp_path / "parts", **options, watcher=stop_after(3))
    parts = calque.resume(tmp_path / "parts", threads=1)
    assert (parts.about.epoch, parts.about.development) == (whole.about.epoch, whole.about.development)
    assert parts.checksum == whole.checksum


def test_the_last_mega_batch_is_not_too_late_for_a_signal(tmp_path: Path) -> None:
    bitext = tmp_path / "text.en-es.tsv"
    bitext.write_text("dog\tperro\ncat\tgato\n")
    model = calque.train(bitext, tmp_path / "model", vocabulary="word", epochs=2, dimension=8, watcher=stop_after(2))
    assert model.about.epoch == 2


def test_a_bitext_that_has_changed_is_refused(stopped: Path) -> None:
    bitext = stopped.parent / "text.en-es.tsv"
    before = bitext.read_text()
    bitext.write_text(before.replace("dog 3 runs", "dog 3"))
    with pytest.raises(CorpusError, match=r"the bitext has changed since the training in .* began") as problem:
        calque.resume(stopped)
    assert "bring back the files" in str(problem.value.hint)
    bitext.write_text(before)
    assert calque.resume(stopped).about.epoch == 4


def test_a_bitext_that_has_gone_is_named(stopped: Path) -> None:
    (stopped.parent / "text.en-es.tsv").unlink()
    with pytest.raises(UsageError, match=r"cannot read .*text\.en-es\.tsv"):
        calque.resume(stopped)


def test_a_finished_training_is_not_resumed(stopped: Path) -> None:
    calque.resume(stopped)
    with pytest.raises(UsageError, match="this training has ended; the model is ready"):
        calque.resume(stopped)


def test_a_finished_training_that_can_only_be_read_is_told_to_have_ended(
    stopped: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calque.resume(stopped)

    def refuse(path: Path, missing_ok: bool = False) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS), str(path))

    monkeypatch.setattr(Path, "unlink", refuse)
    with pytest.raises(UsageError, match="this training has ended; the model is ready"):
        calque.resume(stopped)


def test_a_training_that_never_started_is_not_resumed(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="holds no training to resume"):
        calque.resume(tmp_path)
    with pytest.raises(UsageError, match="holds no training to resume"):
        calque.resume(tmp_path / "nowhere")


def test_an_unfinished_training_is_not_begun_anew(stopped: Path) -> None:
    with pytest.raises(UsageError, match="holds an unfinished training") as problem:
        calque.train(stopped.parent / "text.en-es.tsv", stopped)
    assert problem.value.hint == f"calque train --resume {stopped}"


@pytest.mark.parametrize(
    "content", ["", "{}", "[]", "null", '{"config": {}}', '{"config": {"cake": 1}, "bitexts": []}']
)
def test_a_damaged_training_json_is_named(stopped: Path, content: str) -> None:
    (stopped / "training.json").write_text(content)
    with pytest.raises(CalqueError, match=r"training\.json cannot be read"):
        calque.resume(stopped)


@pytest.mark.parametrize(
    "change",
    [
        *({"paths": 5}, {"paths": []}, {"paths": ["a", "b", "c"]}, {"languages": ["en"]}, {"languages": [[], {}]}),
        *({"columns": [1, None]}, {"columns": 3}, {"columns": [1, -7]}, {"columns": [1 << 64, 1]}),
        *({"format": "cake"}, {"format": "moses"}, {"format": {}}),
    ],
)
def test_a_bitext_that_cannot_be_is_named(stopped: Path, change: dict[str, object]) -> None:
    saved = json.loads((stopped / "training.json").read_text())
    saved["bitexts"][0] |= change
    (stopped / "training.json").write_text(json.dumps(saved))
    with pytest.raises(CalqueError, match=r"training\.json cannot be read"):
        calque.resume(stopped)


def test_a_path_that_cannot_be_is_named(stopped: Path) -> None:
    saved = json.loads((stopped / "training.json").read_text())
    saved["bitexts"][0]["paths"] = ["/nowhere\0/text.tsv"]
    (stopped / "training.json").write_text(json.dumps(saved))
    with pytest.raises(UsageError, match="cannot read"):
        calque.resume(stopped)


def test_a_checkpoint_with_a_table_for_a_row_is_refused(stopped: Path) -> None:
    checkpoint = Checkpoint.read(stopped)
    assert checkpoint is not None
    checkpoint.state["step_weights"] = checkpoint.state["embeddings"]
    checkpoint.write(stopped)
    with pytest.raises(CalqueError, match="the state is not one that training can go on from"):
        calque.resume(stopped)


@pytest.mark.parametrize("place", [0.01, 0.5, 0.99])
def test_a_damaged_checkpoint_is_named(stopped: Path, place: float) -> None:
    path = stopped / "checkpoint.safetensors"
    content = bytearray(path.read_bytes())
    content[int(place * len(content))] ^= 4
    path.write_bytes(content)
    with pytest.raises(CalqueError, match=r"checkpoint\.safetensors") as problem:
        calque.resume(stopped)
    assert "delete it and go on" in str(problem.value.hint)
    path.unlink()
    assert calque.resume(stopped).about.epoch == 4
