"""The model folder.

config.json            format, recipe, languages, what the vocabulary is, checksums: written last, so that a folder
                       with a config.json is whole
model.safetensors      one 2-D tensor, `embeddings`; a BLSTM's weights beside it; or, in a quantised model, `codes`,
                       `levels` and `scales` (encoder/rows.py)
sentencepiece.model    the vocabulary (or vocab.txt; one file a language where vocabularies are separate)
vocab.txt              the pieces, for eyes
tokenizer.json         the same vocabulary for sentence-transformers and model2vec, if they can express it,
                       which they cannot for a BLSTM
modules.json           what sentence-transformers looks for
README.md              the card

A quantised model has neither vocab.txt, tokenizer.json nor modules.json: other libraries cannot read its codes, and it
is there to be small. Its format is 2, so that versions of Calque that know no codes say so; all others have format 1.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import xxhash

from ..atomic import write_text
from ..encoder import CODE_BITS, ENCODERS, FLOAT_BITS, Encoder, make_encoder, tensor_layouts
from ..errors import ModelError, UsageError
from ..safetensors import TensorFile, map_tensors, write_tensors
from ..vocabulary import read_vocabulary, write_vocabulary
from .about import About
from .box import NAME, box_folder, has_box
from .card import card
from .model import Model
from .tokenizer import tokenizer_json

FORMAT, QUANTISED_FORMAT = 1, 2
CONFIG, TENSORS = "config.json", "model.safetensors"

# Static embeddings need no second module: cosines do not depend on length, and encode() leaves it alone.
_MODULES = [{"idx": 0, "name": "0", "path": ".", "type": "sentence_transformers.models.StaticEmbedding"}]


def save(folder: str | Path, encoder: Encoder, about: About) -> Model:
    """Writes a model into a folder that holds none yet.

    Raises:
        UsageError: there is a model already.
        CalqueError: the disk is full or the folder cannot be written to; it is then not taken for a model.
    """
    folder = Path(folder)
    if (folder / CONFIG).exists():
        raise UsageError(f"{folder} holds a model already", hint="choose another folder")
    with np.errstate(invalid="ignore"):  # infinities of both signs
        finite = all(np.isfinite(array.sum(dtype=np.float64)) for array in encoder.tensors.values())
    if not finite:
        raise ModelError("the model holds values that are not numbers", hint="choose a smaller learning rate")
    folder.mkdir(parents=True, exist_ok=True)
    quantised = encoder.bits < FLOAT_BITS
    version = QUANTISED_FORMAT if quantised else FORMAT
    description = write_vocabulary(folder, encoder.vocabulary, listing=not quantised)
    checksum = write_tensors(folder / TENSORS, encoder.tensors, {"calque": version})
    tokenizer = tokenizer_json(encoder.vocabulary) if encoder.name == "average" and not quantised else None
    if tokenizer is not None:
        write_text(folder / "tokenizer.json", tokenizer)
        write_text(folder / "modules.json", json.dumps(_MODULES, indent=2) + "\n")
    write_text(folder / "README.md", card(encoder, about))
    config = {
        "format": version,
        "model_type": "calque",
        "encoder": encoder.name,
        "dimension": encoder.dimension,
        "rows": encoder.vocabulary.size,
        **({"bits": encoder.bits} if quantised else {}),
        "normalize": False,
        "max_length": None,  # or model2vec leaves out what a text has beyond its 512th piece
        "vocabulary": description,
        "about": about.as_dict(),
        "hashes": {TENSORS: checksum} | {name: _file_hash(folder / name) for name in description["files"].values()},
    }
    write_text(folder / CONFIG, json.dumps(config, indent=2, ensure_ascii=False) + "\n")
    return load(folder)


def load(path: str | Path | None = None) -> Model:
    """Opens a model folder by mapping it into memory; without a path, the one that CALQUE_MODEL names, else the box.

    `load("box")` opens the model in the box whatever CALQUE_MODEL says; a folder of that name is `load("./box")`.

    Raises:
        ModelError: no model, a damaged one, or one of a newer format.
    """
    folder = _chosen(path)
    config = _read_config(folder)
    _check_hashes(folder, config)
    vocabulary = read_vocabulary(folder, config["vocabulary"], config["rows"])
    file = map_tensors(folder / TENSORS)
    _check_tensors(folder, config, file)
    if vocabulary.size != config["rows"]:
        raise ModelError(f"{folder}: the vocabulary has {vocabulary.size} pieces, but there are {config['rows']} rows")
    if file.checksum != config["hashes"].get(TENSORS):
        raise ModelError(f"{folder / TENSORS} does not belong to this {CONFIG}", hint="copy or make the model again")
    try:
        about = About.from_dict(config["about"])
    except (KeyError, TypeError) as problem:
        raise ModelError(f"{folder / CONFIG}: `about` is not understood: {problem!r}") from problem
    encoder = make_encoder(config["encoder"], vocabulary, config["dimension"], file.tensors)
    return Model(encoder, about, folder, file.checksum, _vocabulary_checksum(config))


def as_model(given: str | Path | Model | None = None) -> Model:
    """A model that is open already as it is, anything else as `load` opens it."""
    return given if isinstance(given, Model) else load(given)


def _chosen(path: str | Path | None) -> Path:
    named = path if path is not None else os.environ.get("CALQUE_MODEL") or (NAME if has_box() else "")
    if not named:
        raise UsageError("no model given", hint="pass --model DIR or set CALQUE_MODEL; `calque train` makes one")
    if named != NAME:
        return Path(named)
    if not has_box():
        raise UsageError(
            "there is no model in the box of this installation",
            hint="pass --model DIR; `calque train` makes one. A folder called box is ./box",
        )
    return box_folder()


def _check_tensors(folder: Path, config: dict[str, Any], file: TensorFile) -> None:
    """They must be all that the encoder needs and nothing else."""
    expected = tensor_layouts(config["encoder"], config["rows"], config["dimension"], config.get("bits", FLOAT_BITS))
    for name, (type, shape) in expected.items():
        array = file.tensors.get(name)
        if array is None or array.dtype != type or array.shape != shape:
            got = "none" if array is None else f"{array.dtype} {array.shape}"
            raise ModelError(f"{folder / TENSORS}: expected {type} {name} of shape {shape}, got {got}")
    if unknown := sorted(file.tensors.keys() - expected.keys()):
        raise ModelError(f"{folder / TENSORS}: no {config['encoder']} has a tensor {unknown[0]!r}")


def _read_config(folder: Path) -> dict[str, Any]:
    path = folder / CONFIG
    if not path.exists():
        raise _no_model(folder)
    try:
        config = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as problem:
        raise ModelError(f"{path} cannot be read: {problem}") from problem
    if not isinstance(config, dict) or config.get("model_type") != "calque":
        raise ModelError(f"{folder} is not a Calque model", hint="its config.json was written by something else")
    version = config.get("format")
    if not isinstance(version, int) or version not in (FORMAT, QUANTISED_FORMAT):
        raise ModelError(
            f"{folder} has format {version}, and this version of Calque reads up to {QUANTISED_FORMAT}",
            hint="upgrade calque",
        )
    types = {"encoder": str, "dimension": int, "rows": int, "vocabulary": dict, "about": dict, "hashes": dict}
    for name, type in types.items():
        if not isinstance(config.get(name), type):
            raise ModelError(f"{path}: expected `{name}` to be {type.__name__}, got {config.get(name)!r}")
    if config["encoder"] not in ENCODERS:
        raise ModelError(f"{folder}: no encoder {config['encoder']!r} in this version of Calque", hint="upgrade calque")
    if config["encoder"] == "blstm" and config["dimension"] % 2:
        raise ModelError(f"{path}: expected an even `dimension` for a BLSTM, got {config['dimension']}")
    _check_bits(path, config)
    return config


def _check_bits(path: Path, config: dict[str, Any]) -> None:
    bits = config.get("bits")
    if config["format"] == FORMAT and bits is not None:
        raise ModelError(f"{path}: format {FORMAT} holds floats, and has no `bits`, got {bits!r}")
    if config["format"] == QUANTISED_FORMAT and (not isinstance(bits, int) or bits not in CODE_BITS):
        raise ModelError(f"{path}: expected `bits` to be 8 or 4, got {bits!r}")
    if bits is not None and config["encoder"] != "average":
        raise ModelError(f"{path}: the rows of an average can be codes, not those of a {config['encoder']}")


def _no_model(folder: Path) -> ModelError:
    if not folder.exists():
        return ModelError(f"there is no model at {folder}", hint="`calque train BITEXT --out DIR` makes one")
    if (folder / "training.json").exists():
        return ModelError(f"{folder}: the training has not been finished", hint=f"calque train --resume {folder}")
    return ModelError(f"{folder} is not a model folder: there is no {CONFIG} in it")


def _check_hashes(folder: Path, config: dict[str, Any]) -> None:
    """The embeddings' own checksum is checked as they are mapped."""
    described = config["vocabulary"].get("files")
    files = list(described.values()) if isinstance(described, dict) else []
    for name in [*files, *config["hashes"]]:
        if os.path.basename(str(name)) != name:
            raise ModelError(f"{folder / CONFIG}: {name!r} is not the name of a file in this folder")
    for name in files:
        if name not in config["hashes"]:
            raise ModelError(f"{folder / CONFIG}: no hash for {name}")
    for name, expected in config["hashes"].items():
        if name == TENSORS:
            continue
        if _file_hash(folder / name) != expected:
            raise ModelError(f"{folder / name} has changed since it was written", hint="copy or make the model again")


def _vocabulary_checksum(config: dict[str, Any]) -> str:
    files = {name: config["hashes"][name] for name in config["vocabulary"]["files"].values()}
    return _hash(json.dumps([config["vocabulary"], files], sort_keys=True).encode())


def _file_hash(path: Path) -> str:
    try:
        return _hash(path.read_bytes())
    except OSError as problem:
        raise ModelError(f"cannot read {path}: {problem.strerror}") from problem


def _hash(content: bytes) -> str:
    return f"xxh3:{xxhash.xxh3_128(content).hexdigest()}"
