"""A file of lines becomes a file of vectors, some lines at a time."""

from __future__ import annotations

import gzip
import io
import os
import sys
from pathlib import Path

import numpy as np
import pytest

from calque.demo import sentences
from calque.errors import CorpusError, UsageError
from calque.model import Model
from calque.tasks import encode as task
from calque.tasks.encode import encode_file, encode_lines

LINES = [*sentences()["en"][:50], "", "漢字 \U0001f600", "  spaces  ", *sentences()["fr"][:50]]


@pytest.fixture
def text(tmp_path: Path) -> Path:
    path = tmp_path / "text.txt"
    path.write_text("".join(f"{line}\n" for line in LINES), encoding="utf-8")
    return path


def test_npy_is_read_by_numpy(small_model: Model, text: Path, tmp_path: Path) -> None:
    out = tmp_path / "vectors.npy"
    assert encode_file(small_model, text, out) == len(LINES)
    vectors = np.load(out, allow_pickle=False)
    assert (vectors.dtype, vectors.shape) == (np.dtype("<f4"), (len(LINES), 64))
    np.testing.assert_array_equal(vectors, small_model.encode(LINES))
    assert isinstance(np.load(out, mmap_mode="r"), np.memmap)


@pytest.mark.parametrize("suffix", [".raw", ".f32", ".emb", ".bin"])
def test_raw_is_float32_and_nothing_else(small_model: Model, text: Path, tmp_path: Path, suffix: str) -> None:
    out = tmp_path / f"vectors{suffix}"
    encode_file(small_model, text, out)
    np.testing.assert_array_equal(np.fromfile(out, "<f4").reshape(-1, 64), small_model.encode(LINES))


def test_the_format_can_be_given_whatever_the_name(small_model: Model, text: Path, tmp_path: Path) -> None:
    encode_file(small_model, text, tmp_path / "any", format="npy")
    encode_file(small_model, text, tmp_path / "vectors.npy", format="raw")
    assert np.load(tmp_path / "any").tobytes() == (tmp_path / "vectors.npy").read_bytes()


def test_vectors_can_be_made_of_length_one(small_model: Model, text: Path, tmp_path: Path) -> None:
    encode_file(small_model, text, tmp_path / "vectors.npy", normalize=True)
    lengths = np.linalg.norm(np.load(tmp_path / "vectors.npy"), axis=1)
    np.testing.assert_allclose(lengths, [float(bool(small_model.encode([line]).any())) for line in LINES], atol=1e-5)


@pytest.mark.parametrize("lines_a_batch", [1, 7, len(LINES), 1000])
def test_the_size_of_batches_does_not_show(
    small_model: Model, text: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lines_a_batch: int
) -> None:
    monkeypatch.setattr(task, "_BATCH", lines_a_batch)
    heard: list[int] = []
    encode_file(small_model, text, tmp_path / "vectors.npy", report=heard.append)
    np.testing.assert_array_equal(np.load(tmp_path / "vectors.npy"), small_model.encode(LINES))
    assert len(heard) == -(-len(LINES) // lines_a_batch)
    assert heard[-1] == len(LINES)


def test_long_lines_make_smaller_batches(small_model: Model, text: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(task, "_BATCH_CHARACTERS", 200)
    batches = list(encode_lines(small_model, text))
    assert len(batches) > 10
    np.testing.assert_array_equal(np.concatenate(batches), small_model.encode(LINES))


def test_an_empty_file_has_no_vectors(small_model: Model, tmp_path: Path) -> None:
    (tmp_path / "empty.txt").touch()
    assert encode_file(small_model, tmp_path / "empty.txt", tmp_path / "vectors.npy") == 0
    assert np.load(tmp_path / "vectors.npy").shape == (0, 64)
    assert encode_file(small_model, tmp_path / "empty.txt", tmp_path / "vectors.raw") == 0
    assert (tmp_path / "vectors.raw").read_bytes() == b""


def test_a_compressed_file_and_standard_input_give_the_same(
    small_model: Model, text: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "text.gz").write_bytes(gzip.compress(text.read_bytes()))
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.read_bytes())))
    encode_file(small_model, tmp_path / "text.gz", tmp_path / "one.npy")
    encode_file(small_model, "-", tmp_path / "two.npy")
    assert (tmp_path / "one.npy").read_bytes() == (tmp_path / "two.npy").read_bytes()


def test_standard_output_is_raw(small_model: Model, text: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(written))
    assert encode_file(small_model, text, "-") == len(LINES)
    assert written.getvalue() == small_model.encode(LINES).tobytes()


def test_npy_cannot_go_to_standard_output(small_model: Model, text: Path) -> None:
    with pytest.raises(UsageError, match="npy begins with the number of lines") as problem:
        encode_file(small_model, text, "-", format="npy")
    assert "--format raw" in str(problem.value.hint)


@pytest.mark.parametrize("name", ["vectors", "vectors.txt", "vectors.NPY", "npy"])
def test_a_name_that_tells_no_format_is_not_guessed(small_model: Model, text: Path, tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError, match="does not say which format") as problem:
        encode_file(small_model, text, tmp_path / name)
    assert "--format npy, raw or parquet" in str(problem.value.hint)
    assert not (tmp_path / name).exists()


def test_a_file_that_goes_bad_midway_leaves_the_old_vectors(
    small_model: Model, text: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(task, "_BATCH", 10)
    out = tmp_path / "vectors.npy"
    out.write_bytes(b"the old vectors")
    text.write_bytes(text.read_bytes() + b"\xff\n")
    with pytest.raises(CorpusError, match=f"line {len(LINES) + 1}: not UTF-8"):
        encode_file(small_model, text, out)
    assert out.read_bytes() == b"the old vectors"
    assert {path.name for path in tmp_path.iterdir()} == {"text.txt", "vectors.npy"}


def test_a_missing_file_makes_no_vectors(small_model: Model, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot read"):
        encode_file(small_model, tmp_path / "nowhere.txt", tmp_path / "vectors.npy")
    assert list(tmp_path.iterdir()) == []


def test_vectors_replace_those_of_an_earlier_call(small_model: Model, text: Path, tmp_path: Path) -> None:
    out = tmp_path / "vectors.npy"
    out.write_bytes(b"the old vectors")
    encode_file(small_model, text, out)
    assert len(np.load(out)) == len(LINES)


def test_vectors_are_for_whom_the_user_s_mask_allows(small_model: Model, text: Path, tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        encode_file(small_model, text, tmp_path / "vectors.npy")
    finally:
        os.umask(before)
    assert (tmp_path / "vectors.npy").stat().st_mode & 0o777 == 0o640


def test_a_line_of_ten_megabytes_has_a_vector(small_model: Model, tmp_path: Path) -> None:
    sentence = "The dog sleeps in the sun. "
    (tmp_path / "long.txt").write_text(sentence * (10_000_000 // len(sentence)) + "\nshort\n")
    assert encode_file(small_model, tmp_path / "long.txt", tmp_path / "vectors.npy") == 2
    long, short = np.load(tmp_path / "vectors.npy")
    np.testing.assert_allclose(long, small_model.encode([sentence])[0], atol=1e-3)
    np.testing.assert_array_equal(short, small_model.encode(["short"])[0])
