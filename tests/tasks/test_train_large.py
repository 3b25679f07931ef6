"""Training on what does not fit in memory: the same promises as ever, and a file of tokens that does not outlive it."""

from __future__ import annotations

import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import calque
from calque.training.large_corpus import NAME

# The demonstration's 2,000 pairs in blocks of 50, a fifth of them in memory: windows as of a corpus of gigabytes.
SCRIPT = """
import calque.training.corpus, calque.training.large_corpus, calque.training.token_file
calque.training.corpus._BATCH = 200
calque.training.large_corpus.MOST_BYTES = 10_000
calque.training.token_file._PAIRS = 50
from calque.cli import main
main()
"""
OPTIONS = ["--vocabulary", "word", "--dimension", "16", "--epochs", "15", "--annealing", "5", "--threads", "1"]
ALL = ["--checkpoint-minutes", "0"]  # epochs of a blink would not be saved


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-c", SCRIPT, "train", *arguments]


@pytest.fixture(scope="module")
def bitext(demo_bitext: dict[str, Path]) -> list[str]:
    return [str(demo_bitext["en-es"]), str(demo_bitext["en-de"])]


@pytest.fixture(scope="module")
def undisturbed(bitext: list[str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("undisturbed") / "model"
    done = subprocess.run(command(*bitext, "--out", str(out), *OPTIONS), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return out


def test_it_is_another_order_and_leaves_no_file(bitext: list[str], undisturbed: Path, tmp_path: Path) -> None:
    fits = calque.train(bitext, tmp_path / "fits", vocabulary="word", dimension=16, epochs=15, annealing=5, threads=1)
    assert fits.path is not None
    assert {path.name for path in undisturbed.iterdir()} == {path.name for path in fits.path.iterdir()}
    assert (undisturbed / "vocab.txt").read_bytes() == (fits.path / "vocab.txt").read_bytes()
    assert calque.load(undisturbed).checksum != fits.checksum


def test_being_killed_while_reading_or_training_changes_nothing(
    bitext: list[str], undisturbed: Path, tmp_path: Path
) -> None:
    out = tmp_path / "model"
    process = subprocess.Popen(command(*bitext, "--out", str(out), *OPTIONS, *ALL), stderr=subprocess.DEVNULL)
    killed = 0
    for name in ("training.json", NAME, "checkpoint.safetensors"):  # reading, about to train, training
        while process.poll() is None and not (out / name).exists():
            time.sleep(0.002)
        process.kill()
        killed += process.wait() == -signal.SIGKILL
        process = subprocess.Popen(command("--resume", str(out), *ALL), stderr=subprocess.DEVNULL)
    assert killed == 3
    assert process.wait() == 0
    assert (out / "model.safetensors").read_bytes() == (undisturbed / "model.safetensors").read_bytes()
    assert {path.name for path in out.iterdir()} == {path.name for path in undisturbed.iterdir()}


def test_what_a_training_killed_at_its_very_end_left_goes_when_it_is_resumed(undisturbed: Path) -> None:
    for name in (NAME, "checkpoint.safetensors"):
        (undisturbed / name).write_bytes(b"left")
    done = subprocess.run(command("--resume", str(undisturbed)), capture_output=True, text=True)
    assert (done.returncode, "this training has ended" in done.stderr) == (2, True), done.stderr
    assert not (undisturbed / NAME).exists()
    assert not (undisturbed / "checkpoint.safetensors").exists()


def test_a_disk_that_fills_while_it_reads_is_a_clear_error_and_a_training_to_resume(
    bitext: list[str], undisturbed: Path, tmp_path: Path
) -> None:
    out, limit = tmp_path / "model", 40_000  # bytes of a file: more than the words take, fewer than the tokens
    done = subprocess.run(
        command(*bitext, "--out", str(out), *OPTIONS),
        capture_output=True,
        text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)),
    )
    assert done.returncode == 1
    assert f"error: cannot write {out / NAME}: File too large\n\nhint: everything so far is saved" in done.stderr
    assert f"calque train --resume {out}\n" in done.stderr
    assert {path.name for path in out.iterdir()} == {"training.json", "vocab.txt"}
    resumed = subprocess.run(command("--resume", str(out)), capture_output=True, text=True)
    assert resumed.returncode == 0, resumed.stderr
    assert (out / "model.safetensors").read_bytes() == (undisturbed / "model.safetensors").read_bytes()
