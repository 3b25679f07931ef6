"""A disk that fills up: a clear error, nothing half-written, and everything so far still good.

A limit on the size of files stands in for the full disk: writing beyond it fails in the same way.
"""

from __future__ import annotations

import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import calque
from calque.demo import sentences
from calque.errors import CalqueError
from calque.tasks.encode import encode_file

COMMAND = [sys.executable, "-c", "from calque.cli import main; main()"]
OPTIONS = [
    "--vocabulary-size",
    "400",
    "--dimension",
    "300",
    "--epochs",
    "3",
    "--threads",
    "1",
    "--checkpoint-minutes",
    "0",
]

# The vocabulary's files take some 250 and 340 kB, the rows 480 kB, a checkpoint three times as much.
BELOW_VOCABULARY, BELOW_ROWS, BELOW_CHECKPOINT = 100_000, 400_000, 1_000_000
BELOW_ALL_WORDS = 13_000  # but above those of one language


def with_files_below(limit: int) -> Callable[[], None]:
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))


def run(*arguments: str, limit: int | None = None) -> subprocess.CompletedProcess[str]:
    before = with_files_below(limit) if limit else None
    return subprocess.run([*COMMAND, *arguments], capture_output=True, text=True, preexec_fn=before)


def assert_failed(result: subprocess.CompletedProcess[str], name: str) -> None:
    last = result.stderr[result.stderr.index("error: ") :]
    assert result.returncode == 1
    assert last.startswith("error: cannot write ")
    assert f"{name}: File too large\n\nhint: " in last
    assert "Traceback" not in result.stderr


def test_training_goes_on_after_a_checkpoint_that_could_not_be_written(
    demo_bitext: dict[str, Path], tmp_path: Path
) -> None:
    bitext, out = str(demo_bitext["en-es"]), tmp_path / "model"
    assert_failed(run("train", bitext, "--out", str(out), *OPTIONS, limit=BELOW_CHECKPOINT), "checkpoint.safetensors")
    assert {path.name for path in out.iterdir()} == {
        "sentencepiece.model",
        "training.json",
        "training.jsonl",
        "vocab.txt",
    }
    resumed = run("train", "--resume", str(out), "--threads", "1")
    assert resumed.returncode == 0, resumed.stderr
    assert run("train", bitext, "--out", str(tmp_path / "other"), *OPTIONS).returncode == 0
    assert calque.load(out).checksum == calque.load(tmp_path / "other").checksum


def test_training_that_could_not_write_its_model_can_be_resumed(demo_bitext: dict[str, Path], tmp_path: Path) -> None:
    bitext, out = str(demo_bitext["en-es"]), tmp_path / "model"
    no_epochs = [*OPTIONS, "--epochs", "0"]
    failed = run("train", bitext, "--out", str(out), *no_epochs, limit=BELOW_ROWS)
    assert_failed(failed, "model.safetensors")
    assert failed.stderr.endswith(f"hint: make room, then go on: calque train --resume {out}\n")
    assert not (out / "config.json").exists()
    assert not [path.name for path in out.iterdir() if path.name.startswith(".")]
    assert run("similarity", "--model", str(out), "a", "b").returncode == 1
    assert run("train", "--resume", str(out)).returncode == 0
    assert calque.load(out).dimension == 300


def test_training_that_could_not_write_its_vocabulary_leaves_nothing(
    demo_bitext: dict[str, Path], tmp_path: Path
) -> None:
    out = tmp_path / "model"
    begin = ["train", str(demo_bitext["en-es"]), "--out", str(out), *OPTIONS]
    assert_failed(run(*begin, limit=BELOW_VOCABULARY), "sentencepiece.model")
    assert list(out.glob("*")) == []
    assert run(*begin).returncode == 0


def test_a_vocabulary_of_several_files_is_written_as_a_whole_or_not_at_all(
    demo_bitext: dict[str, Path], tmp_path: Path
) -> None:
    out = tmp_path / "model"
    begin = ["train", str(demo_bitext["en-es"]), "--out", str(out), "--vocabulary", "word", "--sharing", "separate"]
    begin += ["--dimension", "8", "--epochs", "1"]
    assert_failed(run(*begin, limit=BELOW_ALL_WORDS), "vocab.txt")
    assert list(out.glob("*")) == []
    assert run(*begin).returncode == 0


def test_an_epoch_that_could_not_be_saved_does_not_harm_the_one_before(
    demo_bitext: dict[str, Path], tmp_path: Path
) -> None:
    out = tmp_path / "model"
    assert run("train", str(demo_bitext["en-es"]), "--out", str(tmp_path / "whole"), *OPTIONS).returncode == 0
    begin = ["train", str(demo_bitext["en-es"]), "--out", str(out), *OPTIONS]
    assert run(*begin, limit=BELOW_CHECKPOINT).returncode == 1
    # With room for the first checkpoints only, as when something else fills the disk while training runs.
    code = (
        "import calque, resource\n"
        "from calque.tasks.train import Watcher\n"
        "def progress(now):\n"
        "    if now.epoch == 2:\n"
        f"        resource.setrlimit(resource.RLIMIT_FSIZE, ({BELOW_CHECKPOINT}, resource.RLIM_INFINITY))\n"
        f"calque.resume({str(out)!r}, threads=1, watcher=Watcher(progress=progress, checkpoint_minutes=0))\n"
    )
    failed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "CalqueError: cannot write" in failed.stderr
    assert (out / "checkpoint.safetensors").exists()
    assert run("train", "--resume", str(out), "--threads", "1").returncode == 0
    assert calque.load(out).checksum == calque.load(tmp_path / "whole").checksum


def test_a_log_that_cannot_be_written_is_an_error_that_names_it(demo_bitext: dict[str, Path], tmp_path: Path) -> None:
    out = tmp_path / "model"
    assert run("train", str(demo_bitext["en-es"]), "--out", str(out), *OPTIONS, limit=BELOW_CHECKPOINT).returncode == 1
    (out / "training.jsonl").unlink()
    (out / "training.jsonl").symlink_to("/dev/full")
    failed = run("train", "--resume", str(out))
    assert (failed.returncode, "Traceback" in failed.stderr) == (1, False), failed.stderr
    assert "training.jsonl: No space left on device" in failed.stderr
    assert f"calque train --resume {out}" in failed.stderr


def test_vectors_that_do_not_fit_leave_the_old_file(small_model: calque.Model, tmp_path: Path) -> None:
    text, out = tmp_path / "text.txt", tmp_path / "vectors.npy"
    text.write_text("A dog runs.\n" * 10_000)
    encode_file(small_model, text, out)
    before = out.read_bytes()
    text.write_text("A cat sleeps.\n" * 10_000)
    failed = run("encode", "--model", str(small_model.path), str(text), "-o", str(out), limit=100_000)
    assert_failed(failed, "vectors.npy")
    assert out.read_bytes() == before
    assert {path.name for path in tmp_path.iterdir()} == {"text.txt", "vectors.npy"}


def test_standard_output_that_is_full_is_an_error(small_model: calque.Model, tmp_path: Path) -> None:
    (tmp_path / "text.txt").write_text("A dog runs.\n" * 100_000)
    with open("/dev/full", "wb") as full:
        failed = subprocess.run(
            [*COMMAND, "encode", "--model", str(small_model.path), str(tmp_path / "text.txt")],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
        )
    assert (failed.returncode, "Traceback" in failed.stderr) == (1, False), failed.stderr
    assert "No space left on device" in failed.stderr


def test_a_folder_that_cannot_be_written_to_is_named(small_model: calque.Model, tmp_path: Path) -> None:
    (tmp_path / "text.txt").write_text("A dog runs.\n")
    with pytest.raises(CalqueError, match=r"cannot write .*nowhere/vectors\.npy"):
        encode_file(small_model, tmp_path / "text.txt", tmp_path / "nowhere" / "vectors.npy")


def test_mining_goes_on_after_its_vectors_could_not_be_written(small_model: calque.Model, tmp_path: Path) -> None:
    for language, lines in sentences().items():
        (tmp_path / language).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    mine = [
        "mine",
        str(tmp_path / "en"),
        str(tmp_path / "es"),
        "--model",
        str(small_model.path),
        "--threads",
        "1",
        "-o",
    ]
    out, other = tmp_path / "pairs.tsv", tmp_path / "other.tsv"
    assert_failed(run(*mine, str(out), limit=100_000), "pairs.tsv.mining")
    assert not out.exists()
    assert run(*mine, str(out)).returncode == 0
    assert run(*mine, str(other)).returncode == 0
    assert out.read_bytes() == other.read_bytes()
    assert not (tmp_path / "pairs.tsv.mining").exists()
