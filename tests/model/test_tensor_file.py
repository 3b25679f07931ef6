"""Arrays in a file: what goes in comes out, and the format's own library agrees."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
import safetensors.numpy
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from calque.errors import CalqueError, ModelError
from calque.safetensors import map_tensors, write_tensors

TYPES = [np.float32, np.float16, np.int8, np.uint16, np.uint32, np.uint64]

tensors = st.dictionaries(
    st.text(min_size=1, max_size=5).filter(lambda name: name != "__metadata__"),
    st.sampled_from(TYPES).flatmap(
        lambda type: arrays.arrays(type, arrays.array_shapes(max_dims=3, min_side=0, max_side=4))
    ),
    max_size=4,
)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("tensors") / "file.safetensors"


def same(one: npt.NDArray[Any], two: npt.NDArray[Any]) -> bool:
    return one.dtype == two.dtype and one.shape == two.shape and one.tobytes() == two.tobytes()


@given(tensors, st.dictionaries(st.text(), st.integers() | st.text() | st.none()))
def test_what_was_written_is_read(path: Path, tensors: dict[str, npt.NDArray[Any]], about: dict[str, Any]) -> None:
    checksum = write_tensors(path, tensors, about)
    read = map_tensors(path)
    assert list(read.tensors) == list(tensors)
    assert all(same(read.tensors[name], tensors[name]) for name in tensors)
    assert (read.about, read.checksum) == (about, checksum)


@given(tensors)
def test_the_format_s_own_library_reads_what_was_written(path: Path, tensors: dict[str, npt.NDArray[Any]]) -> None:
    write_tensors(path, tensors, {"any": "thing"})
    read = safetensors.numpy.load_file(path)
    assert read.keys() == tensors.keys()
    assert all(same(read[name], tensors[name]) for name in tensors)


@given(tensors)
def test_what_the_format_s_own_library_wrote_is_read(path: Path, tensors: dict[str, npt.NDArray[Any]]) -> None:
    safetensors.numpy.save_file({name: np.ascontiguousarray(array) for name, array in tensors.items()}, path)
    read = map_tensors(path)
    assert read.about == {}
    assert all(read.tensors[name].tobytes() == tensors[name].tobytes() for name in tensors)


def test_the_same_arrays_give_the_same_bytes(tmp_path: Path) -> None:
    array = np.arange(12, dtype=np.float32).reshape(3, 4)
    one, two = tmp_path / "one", tmp_path / "two"
    assert write_tensors(one, {"a": array}, {"n": 1}) == write_tensors(two, {"a": array.copy()}, {"n": 1})
    assert one.read_bytes() == two.read_bytes()


def test_arrays_with_gaps_are_written_without(path: Path) -> None:
    array = np.arange(24, dtype=np.float32).reshape(4, 6)[:, ::2]
    write_tensors(path, {"a": array}, {})
    assert same(map_tensors(path).tensors["a"], np.ascontiguousarray(array))


def test_arrays_are_mapped_and_cannot_be_written_to(path: Path) -> None:
    write_tensors(path, {"a": np.ones((5, 7), np.float32)}, {})
    array = map_tensors(path).tensors["a"]
    base: Any = array
    while base is not None and not isinstance(base, np.memmap):
        base = base.base
    assert isinstance(base, np.memmap)
    assert not array.flags.writeable


def test_the_data_begins_on_a_cache_line(path: Path) -> None:
    for name in ("a", "ab", "abc", "abcdefghijk"):
        write_tensors(path, {name: np.ones(3, np.float32)}, {})
        length = int.from_bytes(path.read_bytes()[:8], "little")
        assert (8 + length) % 64 == 0
        assert json.loads(path.read_bytes()[8 : 8 + length])[name]["shape"] == [3]


def test_a_file_that_cannot_be_written_is_an_error_that_names_it(tmp_path: Path) -> None:
    with pytest.raises(CalqueError, match=r"cannot write .*nowhere/file: No such file"):
        write_tensors(tmp_path / "nowhere" / "file", {"a": np.ones(3, np.float32)}, {})


def test_a_missing_file_is_an_error_that_names_it(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"cannot read .*nowhere: No such file"):
        map_tensors(tmp_path / "nowhere")


def test_a_folder_is_an_error_that_names_it(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"cannot read .*: Is a directory"):
        map_tensors(tmp_path)
