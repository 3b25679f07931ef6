"""Whether this version understands a model folder's config.json, and whether the files beside it are what it says."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from ..encoder import CODE_BITS, ENCODERS, FLOAT_BITS, WIDEST, tensor_layouts
from ..errors import ModelError
from ..safetensors import TensorFile
from ..saved import is_a
from ..vocabulary.tokenizer_json import TokenizerVocabulary
from .files import CONFIG, TENSORS, file_hash

# The first that could be opened; quantised ones; those of another library's tokenizer, or normalized: see folder.py.
FORMAT, QUANTISED_FORMAT, TOKENIZER_FORMAT = 1, 2, 3


def check_config(folder: Path, config: dict[str, Any]) -> None:
    path = folder / CONFIG
    version = config.get("format")
    if not isinstance(version, int) or version not in (FORMAT, QUANTISED_FORMAT, TOKENIZER_FORMAT):
        raise ModelError(
            f"{folder} has format {version}, and this version of Calque reads up to {TOKENIZER_FORMAT}",
            hint="upgrade calque",
        )
    config.setdefault("normalize", False)
    types = {
        "encoder": str,
        "dimension": int,
        "rows": int,
        "normalize": bool,
        "vocabulary": dict,
        "about": dict,
        "hashes": dict,
    }
    for name, type in types.items():
        if not is_a(config.get(name), type):
            raise ModelError(f"{path}: expected `{name}` to be {type.__name__}, got {config.get(name)!r}")
    if config["encoder"] not in ENCODERS:
        raise ModelError(f"{folder}: no encoder {config['encoder']!r} in this version of Calque", hint="upgrade calque")
    if config["encoder"] == "blstm" and config["dimension"] % 2:
        raise ModelError(f"{path}: expected an even `dimension` for a BLSTM, got {config['dimension']}")
    if not 0 < config["dimension"] <= WIDEST:
        raise ModelError(f"{path}: expected a `dimension` of 1 to {WIDEST}, got {config['dimension']}")
    _check_bits(path, config)
    imported = config["normalize"] or config["vocabulary"].get("kind") == TokenizerVocabulary.kind
    if imported and version != TOKENIZER_FORMAT:
        raise ModelError(f"{path}: format {version} has neither a tokenizer.json for a vocabulary nor `normalize`")
    if config["normalize"] and config["encoder"] != "average":
        raise ModelError(f"{path}: the vectors of a {config['encoder']} are not normalized")


def _check_bits(path: Path, config: dict[str, Any]) -> None:
    bits = config.get("bits")
    if config["format"] == FORMAT and bits is not None:
        raise ModelError(f"{path}: format {FORMAT} holds floats, and has no `bits`, got {bits!r}")
    if config["format"] == TOKENIZER_FORMAT and bits is None:
        return
    if config["format"] != FORMAT and (not isinstance(bits, int) or bits not in CODE_BITS):
        raise ModelError(f"{path}: expected `bits` to be 8, 4 or 3, got {bits!r}")
    if bits is not None and config["encoder"] != "average":
        raise ModelError(f"{path}: the rows of an average can be codes, not those of a {config['encoder']}")


def check_hashes(folder: Path, config: dict[str, Any]) -> None:
    """The embeddings' own checksum is checked as they are mapped."""
    described = config["vocabulary"].get("files")
    if not isinstance(described, dict) or not described:
        raise ModelError(f"{folder / CONFIG}: the vocabulary's description names no files")
    files = list(described.values())
    for name in [*files, *config["hashes"]]:
        if os.path.basename(str(name)) != name:
            raise ModelError(f"{folder / CONFIG}: {name!r} is not the name of a file in this folder")
    for name in files:
        if name not in config["hashes"]:
            raise ModelError(f"{folder / CONFIG}: no hash for {name}")
    for name, expected in config["hashes"].items():
        if name == TENSORS:
            continue
        if file_hash(folder / name) != expected:
            raise ModelError(f"{folder / name} has changed since it was written")


def check_tensors(folder: Path, config: dict[str, Any], file: TensorFile) -> None:
    """They must be all that the encoder needs and nothing else."""
    expected = tensor_layouts(config["encoder"], config["rows"], config["dimension"], config.get("bits", FLOAT_BITS))
    for name, (type, shape) in expected.items():
        array = file.tensors.get(name)
        if array is None or array.dtype != type or array.shape != shape:
            got = "none" if array is None else f"{array.dtype} {array.shape}"
            raise ModelError(f"{folder / TENSORS}: expected {type} {name} of shape {shape}, got {got}")
    if unknown := sorted(file.tensors.keys() - expected.keys()):
        raise ModelError(f"{folder / TENSORS}: no {config['encoder']} has a tensor {unknown[0]!r}")
