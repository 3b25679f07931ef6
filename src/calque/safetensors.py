"""Arrays in a file that can be mapped into memory: the safetensors format.

The format's own library copies what it reads into numpy arrays; here a file is mapped, so that a model opens at once
and several processes share it. Each file carries its own checksum.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import xxhash

from .atomic import writing
from .checksums import checksum_of
from .errors import ModelError
from .regular import open_regular
from .saved import is_a

_TYPES = {
    "F32": np.float32,
    "F16": np.float16,
    "F64": np.float64,
    "I8": np.int8,
    "I16": np.int16,
    "I32": np.int32,
    "I64": np.int64,
    "U8": np.uint8,
    "U16": np.uint16,
    "U32": np.uint32,
    "U64": np.uint64,
}
_NAMES = {np.dtype(type): name for name, type in _TYPES.items()}
_LINE = 64  # the data begins on a cache line
_LONGEST_HEADER = 100_000_000  # the format's own limit
_BLOCK = 1 << 24


@dataclass(frozen=True)
class TensorFile:
    tensors: dict[str, npt.NDArray[Any]]
    about: dict[str, Any]
    checksum: str


def write_tensors(path: Path, tensors: Mapping[str, npt.NDArray[Any]], about: Mapping[str, Any]) -> str:
    """Writes the file in one piece or not at all, and returns its data's checksum."""
    header: dict[str, Any] = {}
    arrays = [np.ascontiguousarray(array) for array in tensors.values()]
    at = 0
    for name, array in zip(tensors, arrays, strict=True):
        header[name] = {"dtype": _NAMES[array.dtype], "shape": array.shape, "data_offsets": [at, at + array.nbytes]}
        at += array.nbytes
    header["__metadata__"] = {"about": json.dumps(about), "format": "pt"}
    checksum = _checksum(header, *map(_bytes, arrays))
    header["__metadata__"]["checksum"] = checksum
    encoded = json.dumps(header).encode()
    encoded += b" " * (-(len(encoded) + 8) % _LINE)
    with writing(path) as file:
        file.write(len(encoded).to_bytes(8, "little"))
        file.write(encoded)
        for array in arrays:
            data = _bytes(array)
            for begin in range(0, len(data), _BLOCK):
                file.write(data[begin : begin + _BLOCK])
    return checksum


def map_tensors(path: Path, changeable: bool = False) -> TensorFile:
    """Maps the file and checks it, its checksum included if it has one; files of other libraries have none.

    What is `changeable` may be changed in memory, never in the file.

    Raises:
        ModelError: not such a file, cut short, changed since it was written, or with numbers of another type.
    """
    with _understood(path):
        length, header = _read_header(path)
        about = header.pop("__metadata__", {})
        if not isinstance(about, dict):
            raise ValueError("__metadata__ is no object")
        data = _mapped(path, 8 + length, "c" if changeable else "r")
        tensors = {name: _view(data, entry) for name, entry in header.items()}
        described = json.loads(about["about"]) if "about" in about else {}
    expected = about.pop("checksum", None)
    checksum = _checksum(header | {"__metadata__": about}, _bytes(data))
    if checksum != (expected or checksum):
        raise ModelError(f"{path} has changed since it was written: checksum {checksum}, expected {expected}")
    return TensorFile(tensors, described, checksum)


def tensor_names(path: Path) -> set[str]:
    """Read without the numbers.

    Raises:
        ModelError: not such a file.
    """
    with _understood(path):
        return set(_read_header(path)[1]) - {"__metadata__"}


@contextmanager
def _understood(path: Path) -> Iterator[None]:
    try:
        yield
    except _OtherType as problem:
        raise ModelError(
            f"{path} holds numbers of type {problem}, which Calque does not read", hint="save it as float32 or float16"
        ) from problem
    except OSError as problem:
        raise ModelError(f"cannot read {path}: {problem.strerror or problem}") from problem
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, OverflowError) as problem:
        raise ModelError(f"{path} is damaged: {problem}") from problem


def _read_header(path: Path) -> tuple[int, dict[str, Any]]:
    """Its length in bytes, and what it says."""
    size = path.stat().st_size
    with open_regular(path) as file:
        length = int.from_bytes(file.read(8), "little")
        if size < 8 or length > min(size - 8, _LONGEST_HEADER):
            raise ModelError(f"{path} is no safetensors file, or is cut short")
        return length, json.loads(file.read(length))


def _mapped(path: Path, begin: int, mode: Literal["r", "c"]) -> npt.NDArray[np.uint8]:
    if path.stat().st_size <= begin:
        return np.zeros(0, np.uint8)
    with open_regular(path) as file:
        return np.memmap(file, np.uint8, mode, offset=begin)


class _OtherType(Exception):
    pass


def _view(data: npt.NDArray[np.uint8], entry: Any) -> npt.NDArray[Any]:
    begin, end = entry["data_offsets"]
    if entry["dtype"] not in _TYPES:
        raise _OtherType(entry["dtype"])
    shape, type = tuple(entry["shape"]), np.dtype(_TYPES[entry["dtype"]])
    if not all(is_a(size, int) for size in shape):  # a list times a number is a long list
        raise ValueError(f"{entry['shape']!r} is no shape")
    if (
        not 0 <= begin <= end <= len(data)
        or math.prod(shape) * type.itemsize != end - begin
        or min(shape, default=0) < 0
    ):
        raise ValueError(f"a tensor of shape {shape} does not fit bytes {begin} to {end} of {len(data)}")
    view = data[begin:end].view(type).reshape(shape)
    return view if view.flags.aligned else view.copy()  # the kernel may not read numbers that lie anywhere


def _checksum(header: dict[str, Any], *data: memoryview) -> str:
    """Of the description as well as of the data: a changed shape or place is as bad as a changed number."""
    state = xxhash.xxh3_128(json.dumps(header, sort_keys=True).encode())
    for part in data:
        state.update(part)
    return checksum_of(state)


def _bytes(array: npt.NDArray[Any]) -> memoryview:
    return array.reshape(-1).view(np.uint8).data
