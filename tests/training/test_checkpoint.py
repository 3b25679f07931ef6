"""A run's state on disk."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import numpy as np
import pytest

from calque.errors import CalqueError
from calque.training.average_learner import aligned_zeros
from calque.training.checkpoint import NAME, Best, Checkpoint
from calque.training.learner import Arrays
from calque.training.mega_batches import Place


def checkpoint(dimension: int, best: bool = True) -> Checkpoint:
    draw = np.random.default_rng(dimension)
    state = {
        "embeddings": draw.standard_normal((30, 32), dtype=np.float32)[:, :dimension],
        "first_moments": draw.random((30, dimension), dtype=np.float32),
        "current": draw.integers(0, 7, 30).astype(np.uint32),
        "step_weights": draw.random(7, dtype=np.float32),
    }
    parameters = {name: draw.random((30, dimension), dtype=np.float32) for name in ("embeddings", "lstm.biases")}
    kept = Best(2, 71.25, parameters) if best else None
    return Checkpoint(Place(2, (10, 0, 7), 7), state, "a digest", 12.5, kept)


def assert_same(found: Arrays, expected: Arrays) -> None:
    assert found.keys() == expected.keys()
    for name in expected:
        np.testing.assert_array_equal(found[name], expected[name])


@pytest.mark.parametrize("dimension", [1, 16, 17, 32])
@pytest.mark.parametrize("best", [True, False])
def test_a_checkpoint_comes_back_as_it_was(tmp_path: Path, dimension: int, best: bool) -> None:
    written = checkpoint(dimension, best)
    written.write(tmp_path)
    read = Checkpoint.read(tmp_path)
    assert read is not None
    assert (read.place, read.digest, read.seconds) == (written.place, written.digest, written.seconds)
    assert_same(read.state, written.state)
    if written.best is None:
        assert read.best is None
    else:
        assert read.best is not None
        assert (read.best.epoch, read.best.score) == (2, 71.25)
        assert_same(read.best.parameters, written.best.parameters)


def test_a_checkpoint_that_was_read_can_be_written_over_its_own_file(tmp_path: Path) -> None:
    checkpoint(17).write(tmp_path)
    read = Checkpoint.read(tmp_path)
    assert read is not None
    read.state["embeddings"] = np.zeros((30, 17), np.float32)
    read.write(tmp_path)
    again = Checkpoint.read(tmp_path)
    assert again is not None
    assert again.best is not None
    assert not again.state["embeddings"].any()
    np.testing.assert_array_equal(again.state["first_moments"], checkpoint(17).state["first_moments"])
    assert_same(again.best.parameters, checkpoint(17).best.parameters)  # type: ignore[union-attr]


def test_where_there_is_none_none_is_read(tmp_path: Path) -> None:
    assert Checkpoint.read(tmp_path) is None


def test_a_damaged_checkpoint_is_an_error_and_not_a_wrong_start(tmp_path: Path) -> None:
    checkpoint(16).write(tmp_path)
    path = tmp_path / NAME
    whole = path.read_bytes()
    for damaged in (whole[:-1], whole[:100], b"", whole[:-1] + bytes([whole[-1] ^ 1]), b"\xff" * 200):
        path.write_bytes(damaged)
        with pytest.raises(CalqueError, match=NAME.replace(".", r"\.")):
            Checkpoint.read(tmp_path)


def test_a_damaged_checkpoint_says_how_to_go_on_without_it(tmp_path: Path) -> None:
    checkpoint(16).write(tmp_path)
    (tmp_path / NAME).write_bytes((tmp_path / NAME).read_bytes()[:100])
    with pytest.raises(CalqueError) as problem:
        Checkpoint.read(tmp_path)
    assert problem.value.hint == (
        f"delete it and go on, which begins again with the first epoch: calque train --resume {tmp_path}"
    )


def test_nobody_is_told_to_delete_a_checkpoint_that_a_disk_fails_to_give(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    checkpoint(16).write(tmp_path)

    def fail(path: Path) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr("calque.safetensors._read_header", fail)
    with pytest.raises(CalqueError, match="Input/output error") as problem:
        Checkpoint.read(tmp_path)
    assert problem.value.hint == f"once it can be read: calque train --resume {tmp_path}"


def test_writing_leaves_one_file_and_no_remains(tmp_path: Path) -> None:
    for _ in range(3):
        checkpoint(16).write(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == [NAME]


def test_what_the_kernel_changes_begins_on_a_cache_line() -> None:
    array = aligned_zeros(5, 32)
    assert array.shape == (5, 32)
    assert not array.any()
    assert array.ctypes.data % 64 == 0
    assert array.flags.c_contiguous
