"""A run's state on disk."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from calque.errors import CalqueError
from calque.training.checkpoint import NAME, Best, Checkpoint
from calque.training.mega_batches import Place
from calque.training.state import State


def checkpoint(dimension: int, best: bool = True) -> Checkpoint:
    draw = np.random.default_rng(dimension)
    state = State.start(draw.standard_normal((30, dimension), dtype=np.float32))
    state.first_moments[:, :dimension] = draw.standard_normal((30, dimension))
    state.second_moments[:, :dimension] = draw.random((30, dimension))
    state.current[:] = draw.integers(0, 7, 30)
    state.step_weights = draw.random(7).astype(np.float32)
    kept = Best(2, 71.25, draw.standard_normal((30, dimension), dtype=np.float32)) if best else None
    return Checkpoint(Place(2, (10, 0, 7), 7), state, "a digest", 12.5, kept)


@pytest.mark.parametrize("dimension", [1, 16, 17, 300])
@pytest.mark.parametrize("best", [True, False])
def test_a_checkpoint_comes_back_as_it_was(tmp_path: Path, dimension: int, best: bool) -> None:
    written = checkpoint(dimension, best)
    written.write(tmp_path)
    read = Checkpoint.read(tmp_path)
    assert read is not None
    assert (read.place, read.digest, read.seconds) == (written.place, written.digest, written.seconds)
    for name in ("embeddings", "first_moments", "second_moments", "current", "step_weights"):
        np.testing.assert_array_equal(getattr(read.state, name), getattr(written.state, name))
    assert read.state.dimension == dimension
    if written.best is None:
        assert read.best is None
    else:
        assert read.best is not None
        assert (read.best.epoch, read.best.pearson) == (2, 71.25)
        np.testing.assert_array_equal(read.best.embeddings, written.best.embeddings)


def test_a_state_that_was_read_can_be_trained_on_and_written_over(tmp_path: Path) -> None:
    checkpoint(17).write(tmp_path)
    read = Checkpoint.read(tmp_path)
    assert read is not None
    read.state.embeddings[:] = 0
    assert read.best is not None
    read.write(tmp_path)
    again = Checkpoint.read(tmp_path)
    assert again is not None
    assert not again.state.embeddings.any()
    assert again.best is not None
    np.testing.assert_array_equal(again.best.embeddings, checkpoint(17).best.embeddings)  # type: ignore[union-attr]


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


def test_writing_leaves_one_file_and_no_remains(tmp_path: Path) -> None:
    for _ in range(3):
        checkpoint(16).write(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == [NAME]


def test_states_begin_on_a_cache_line_and_are_padded_with_zeros() -> None:
    state = State.start(np.ones((5, 17), np.float32))
    assert state.embeddings.shape == (5, 32)
    assert not state.embeddings[:, 17:].any()
    for array in (state.embeddings, state.first_moments, state.second_moments):
        assert array.ctypes.data % 64 == 0
        assert array.flags.c_contiguous
