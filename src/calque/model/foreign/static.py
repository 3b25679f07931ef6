"""What the folders of other libraries have in common: a tokenizer.json and a safetensors file with a row a token."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ...encoder import WIDEST, AverageEncoder, CodedRows, Rows, Vectors, WeightedRows
from ...errors import ModelError
from ...regular import read_bytes
from ...safetensors import TensorFile, map_tensors
from ...vocabulary.folder import TOKENIZER
from ...vocabulary.tokenizer_json import TokenizerVocabulary
from ..about import About
from ..files import CONFIG, TENSORS, hash_of
from ..magnitudes import check_product, largest_magnitude
from ..model import Model

_TYPES = ("float16", "float32", "float64", "int8")
_INTEGERS = np.arange(256, dtype=np.uint8).view(np.int8).astype(np.float32)  # what each byte stands for as int8
_PICKLES = ("pytorch_model.bin", "model.pt", "model.bin")


class Stored(NamedTuple):
    """Token t's row is weights[t] · embeddings[mapping[t]]."""

    embeddings: npt.NDArray[Any]
    mapping: npt.NDArray[Any] | None = None
    weights: npt.NDArray[Any] | None = None

    @property
    def tokens(self) -> int:
        return len(self.embeddings if self.mapping is None else self.mapping)


def read_definition(folder: Path) -> bytes:
    """The bytes of tokenizer.json."""
    try:
        return read_bytes(folder / TOKENIZER)
    except FileNotFoundError as problem:
        raise ModelError(
            f"{folder}: there is no {TOKENIZER}", hint="Calque reads no other kind of tokenizer; save it as that one"
        ) from problem
    except OSError as problem:
        raise ModelError(f"cannot read {folder / TOKENIZER}: {problem.strerror}") from problem


def open_vocabulary(folder: Path, leaves_out_unknown: bool) -> TokenizerVocabulary:
    definition = read_definition(folder)
    try:
        if leaves_out_unknown:
            return TokenizerVocabulary.without_unknown(definition)
        return TokenizerVocabulary(definition, None)
    except ModelError as problem:
        raise ModelError(f"{folder / TOKENIZER}: {problem.message}") from problem


def read_tensors(folder: Path) -> TensorFile:
    """Mapped so that they can be changed in memory.

    Raises:
        ModelError: no such file, or a damaged one.
    """
    for name in _PICKLES:
        if not (folder / TENSORS).exists() and (folder / name).exists():
            raise ModelError(
                f"{folder} holds its rows in {name}, a pickle, which can run any code when it is opened",
                hint=f"open it in the library that wrote it and save it as {TENSORS}",
            )
    file = map_tensors(folder / TENSORS, changeable=True)
    if "calque" in file.about:
        raise ModelError(f"{folder} was not written to its end: it is a Calque model without {CONFIG}")
    return file


def check_stored(path: Path, stored: Stored, tokens: int) -> None:
    """
    Raises:
        ModelError: it is not a row for each of so many tokens.
    """
    rows = stored.embeddings
    if rows.ndim != 2 or rows.dtype.name not in _TYPES or not 0 < rows.shape[1] <= WIDEST:
        raise ModelError(f"{path}: expected rows of 1 to {WIDEST} numbers, got {rows.dtype} of shape {rows.shape}")
    if stored.tokens < tokens:
        raise ModelError(f"{path}: {TOKENIZER} has {tokens} tokens, but there are {stored.tokens} rows for them")
    _check_vector(path, "mapping", stored.mapping, "iu", stored.tokens)
    _check_vector(path, "weights", stored.weights, "f", stored.tokens)
    places = stored.mapping
    if places is not None and not 0 <= places.min(initial=0) <= places.max(initial=0) < len(rows):
        raise ModelError(f"{path}: `mapping` names rows that are not among the {len(rows)}")
    largest = largest_magnitude(rows) if rows.dtype.kind == "f" else 128.0
    weight = 1.0 if stored.weights is None else largest_magnitude(stored.weights)
    check_product(path, "rows", largest, "weights", weight)


def _check_vector(path: Path, name: str, array: npt.NDArray[Any] | None, kinds: str, length: int) -> None:
    """`kinds`: i and u for whole numbers, f for others."""
    if array is not None and (array.dtype.kind not in kinds or array.shape != (length,)):
        numbers = "numbers" if kinds == "f" else "whole numbers"
        got = f"{array.dtype} of shape {array.shape}"
        raise ModelError(f"{path}: expected `{name}` to be {length} {numbers}, got {got}")


def rows_of(stored: Stored, vocabulary: TokenizerVocabulary) -> Vectors | Rows:
    """A row for each token; that of the one that is left out becomes zero, so that other libraries may count it."""
    size, left_out = vocabulary.size, vocabulary.unknown
    rows = np.require(stored.embeddings, requirements=["C", "A"])
    if stored.mapping is None and stored.weights is None and rows.dtype == np.float32:
        floats: Vectors = rows[:size]
        if left_out is not None and floats[left_out].any():
            floats[left_out] = 0
        return floats
    weights = np.ones(size, np.float32) if stored.weights is None else np.array(stored.weights[:size], np.float32)
    if left_out is not None:
        weights[left_out] = 0
    places = np.arange(size) if stored.mapping is None else np.array(stored.mapping[:size], np.intp)
    if rows.dtype != np.int8:
        return WeightedRows(rows, places, weights)
    codes = rows[:size] if stored.mapping is None else rows[places]
    return CodedRows(codes.view(np.uint8), _INTEGERS, weights, rows.shape[1])


def imported(
    folder: Path, library: str, vocabulary: TokenizerVocabulary, stored: Stored, normalizes: bool, checksum: str
) -> Model:
    encoder = AverageEncoder(vocabulary, rows_of(stored, vocabulary), normalizes)
    reading = json.dumps([vocabulary.kind, vocabulary.unknown, hash_of(vocabulary.definition)])
    return Model(encoder, About.of_library(library, folder.resolve().name), folder, checksum, hash_of(reading.encode()))
