"""A file of arrays that was damaged, cut short or forged is an error, and never other numbers."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from calque.errors import ModelError
from calque.safetensors import map_tensors, write_tensors

ARRAYS = {"embeddings": np.arange(6, dtype=np.float32).reshape(2, 3), "current": np.array([5, 6], np.uint32)}
ABOUT = {"place": 17}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("damaged")


@pytest.fixture(scope="module")
def whole(folder: Path) -> bytes:
    write_tensors(folder / "whole", ARRAYS, ABOUT)
    return (folder / "whole").read_bytes()


def assert_refused_or_unharmed(path: Path, content: bytes | bytearray) -> None:
    path.write_bytes(content)
    with suppress(ModelError):
        read = map_tensors(path)
        assert read.tensors.keys() == ARRAYS.keys()
        for name, array in ARRAYS.items():
            assert (read.tensors[name].dtype, read.tensors[name].shape) == (array.dtype, array.shape)
            assert read.tensors[name].tobytes() == array.tobytes()
        assert read.about == ABOUT


def test_no_bit_can_flip_unnoticed(folder: Path, whole: bytes) -> None:
    for at in range(len(whole)):
        for bit in range(8):
            flipped = bytearray(whole)
            flipped[at] ^= 1 << bit
            assert_refused_or_unharmed(folder / "flipped", flipped)


def test_every_cut_is_noticed(folder: Path, whole: bytes) -> None:
    path = folder / "cut"
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        with pytest.raises(ModelError):
            map_tensors(path)


def test_bytes_added_at_the_end_are_noticed(folder: Path, whole: bytes) -> None:
    (folder / "longer").write_bytes(whole + b"\0")
    with pytest.raises(ModelError):
        map_tensors(folder / "longer")


@given(st.data())
def test_overwritten_bytes_are_noticed(folder: Path, whole: bytes, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(whole) - 1))
    noise = data.draw(st.binary(min_size=1, max_size=len(whole) - at))
    assert_refused_or_unharmed(folder / "overwritten", whole[:at] + noise + whole[at + len(noise) :])


@given(st.binary(max_size=200))
@example(b"")
@example(b"\0" * 8)
@example(b"\2" + b"\0" * 7 + b"{}x")
@example(b"\xff" * 16)
def test_noise_is_refused_or_holds_nothing(folder: Path, noise: bytes) -> None:
    (folder / "noise").write_bytes(noise)
    with suppress(ModelError):
        assert map_tensors(folder / "noise").tensors == {}


def forged(path: Path, header: Any, data: bytes = b"") -> Path:
    encoded = (header if isinstance(header, str) else json.dumps(header)).encode()
    path.write_bytes(len(encoded).to_bytes(8, "little") + encoded + data)
    return path


@pytest.mark.parametrize("length", [1 << 40, (1 << 63) - 1, (1 << 64) - 1, 100_000_001])
def test_a_header_longer_than_the_file_is_refused(tmp_path: Path, length: int) -> None:
    (tmp_path / "file").write_bytes(length.to_bytes(8, "little") + b"{}" * 100)
    with pytest.raises(ModelError, match="no safetensors file, or is cut short"):
        map_tensors(tmp_path / "file")


@pytest.mark.parametrize(
    "entry",
    [
        {"dtype": "F32", "shape": [3], "data_offsets": [0, 8]},
        {"dtype": "F32", "shape": [2], "data_offsets": [0, 12]},
        {"dtype": "F32", "shape": [4], "data_offsets": [0, 16]},
        {"dtype": "F32", "shape": [1 << 62, 1 << 62], "data_offsets": [0, 8]},
        {"dtype": "F32", "shape": [-1, -2], "data_offsets": [0, 8]},
        {"dtype": "F32", "shape": [2], "data_offsets": [8, 0]},
        {"dtype": "F32", "shape": [2], "data_offsets": [-8, 0]},
        {"dtype": "F32", "shape": [2.0], "data_offsets": [0, 8]},
        {"dtype": "F32", "shape": "2", "data_offsets": [0, 8]},
        {"dtype": "F32", "shape": [2], "data_offsets": [0.0, 8.0]},
        {"dtype": "F32", "shape": [2], "data_offsets": [0]},
        {"dtype": "F32", "shape": [2], "data_offsets": "08"},
        {"dtype": "F32", "shape": [2]},
        {"dtype": ["F32"], "shape": [2], "data_offsets": [0, 8]},
        {"shape": [2], "data_offsets": [0, 8]},
        None,
        "F32",
        [],
    ],
)
def test_a_description_that_does_not_fit_the_data_is_refused(tmp_path: Path, entry: Any) -> None:
    with pytest.raises(ModelError, match="damaged"):
        map_tensors(forged(tmp_path / "file", {"a": entry}, b"\0" * 12))


def test_a_type_that_numpy_does_not_have_is_named(tmp_path: Path) -> None:
    entry = {"dtype": "BF16", "shape": [4], "data_offsets": [0, 8]}
    with pytest.raises(ModelError, match="holds numbers of type BF16") as problem:
        map_tensors(forged(tmp_path / "file", {"a": entry}, b"\0" * 8))
    assert "float32" in str(problem.value.hint)


@pytest.mark.parametrize(
    "header",
    [
        "",
        "null",
        "5",
        "[]",
        '"text"',
        "{",
        "[" * 100_000,
        '{"__metadata__": []}',
        '{"__metadata__": "text"}',
        '{"__metadata__": null}',
        '{"__metadata__": {"about": 5}}',
        '{"__metadata__": {"about": "{"}}',
        '{"__metadata__": {"checksum": 5}}',
    ],
    ids=lambda header: header[:40],
)
def test_a_header_that_is_no_description_is_refused(tmp_path: Path, header: str) -> None:
    with pytest.raises(ModelError):
        map_tensors(forged(tmp_path / "file", header))


def test_a_shape_beyond_all_numbers_is_damage(folder: Path) -> None:
    entry = {"dtype": "F32", "shape": [0, 10**30], "data_offsets": [0, 0]}
    with pytest.raises(ModelError, match="is damaged"):
        map_tensors(forged(folder / "beyond", {"embeddings": entry}))


def test_a_shape_of_lists_is_damage_and_no_list_is_made_long(folder: Path) -> None:
    entry = {"dtype": "F32", "shape": [[1, 2], 1 << 33], "data_offsets": [0, 0]}
    with pytest.raises(ModelError, match="is no shape"):
        map_tensors(forged(folder / "lists", {"embeddings": entry}))


@pytest.mark.parametrize("padding", range(4))
@pytest.mark.parametrize("changeable", [False, True])
def test_numbers_lie_where_the_kernel_may_read_them(folder: Path, padding: int, changeable: bool) -> None:
    header = json.dumps({"embeddings": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}}) + " " * padding
    path = forged(folder / "anywhere", header, np.arange(6, dtype=np.float32).tobytes())
    array = map_tensors(path, changeable).tensors["embeddings"]
    assert array.flags.aligned
    assert array.flags.writeable or not changeable
    np.testing.assert_array_equal(array, [[0, 1, 2], [3, 4, 5]])
