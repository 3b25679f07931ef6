"""The model folder.

config.json            format, recipe, languages, what the vocabulary is, checksums: written last, so that a folder
                       with a config.json is whole
model.safetensors      one 2-D tensor, `embeddings`
sentencepiece.model    the vocabulary (or vocab.txt; one file a language where vocabularies are separate)
vocab.txt              the pieces, for eyes
tokenizer.json         the same vocabulary for sentence-transformers and model2vec, if they can express it
modules.json           what sentence-transformers looks for
README.md              the card
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import xxhash

from ..atomic import write_text
from ..encoder import AverageEncoder
from ..encoder.average import Vectors
from ..errors import ModelError, UsageError
from ..safetensors import map_tensors, write_tensors
from ..vocabulary import Vocabulary, read_vocabulary, write_vocabulary
from .about import About
from .card import card
from .model import Model
from .tokenizer import tokenizer_json

FORMAT = 1
CONFIG, TENSORS = "config.json", "model.safetensors"

# Static embeddings need no second module: cosines do not depend on length, and encode() leaves it alone.
_MODULES = [{"idx": 0, "name": "0", "path": ".", "type": "sentence_transformers.models.StaticEmbedding"}]


def save(folder: str | Path, vocabulary: Vocabulary, embeddings: Vectors, about: About) -> Model:
    """Writes a model into a folder that holds none yet.

    Raises:
        UsageError: there is a model already.
        CalqueError: the disk is full or the folder cannot be written to; it is then not taken for a model.
    """
    folder = Path(folder)
    if (folder / CONFIG).exists():
        raise UsageError(f"{folder} holds a model already", hint="choose another folder")
    with np.errstate(invalid="ignore"):  # infinities of both signs
        finite = np.isfinite(embeddings.sum(dtype=np.float64))
    if not finite:
        raise ModelError("the embeddings hold values that are not numbers", hint="choose a smaller learning rate")
    folder.mkdir(parents=True, exist_ok=True)
    description = write_vocabulary(folder, vocabulary)
    checksum = write_tensors(folder / TENSORS, {"embeddings": embeddings}, {"calque": FORMAT})
    tokenizer = tokenizer_json(vocabulary)
    if tokenizer is not None:
        write_text(folder / "tokenizer.json", tokenizer)
        write_text(folder / "modules.json", json.dumps(_MODULES, indent=2) + "\n")
    write_text(folder / "README.md", card(vocabulary, embeddings.shape[1], about))
    config = {
        "format": FORMAT,
        "model_type": "calque",
        "encoder": "average",
        "dimension": embeddings.shape[1],
        "rows": embeddings.shape[0],
        "normalize": False,
        "vocabulary": description,
        "about": about.as_dict(),
        "hashes": {TENSORS: checksum} | {name: _file_hash(folder / name) for name in description["files"].values()},
    }
    write_text(folder / CONFIG, json.dumps(config, indent=2, ensure_ascii=False) + "\n")
    return load(folder)


def load(path: str | Path | None = None) -> Model:
    """Opens a model folder by mapping it into memory; without a path, the one that CALQUE_MODEL names.

    Raises:
        ModelError: no model, a damaged one, or one of a newer format.
    """
    chosen = path if path is not None else os.environ.get("CALQUE_MODEL")
    if not chosen:
        raise UsageError("no model given", hint="pass --model DIR or set CALQUE_MODEL; `calque train` makes one")
    folder = Path(chosen)
    config = _read_config(folder)
    _check_hashes(folder, config)
    vocabulary = read_vocabulary(folder, config["vocabulary"])
    file = map_tensors(folder / TENSORS)
    embeddings = file.tensors.get("embeddings")
    expected = (config["rows"], config["dimension"])
    if embeddings is None or embeddings.dtype != np.float32 or embeddings.shape != expected:
        got = "none" if embeddings is None else f"{embeddings.dtype} {embeddings.shape}"
        raise ModelError(f"{folder / TENSORS}: expected float32 embeddings of shape {expected}, got {got}")
    if vocabulary.size != expected[0]:
        raise ModelError(f"{folder}: the vocabulary has {vocabulary.size} pieces, but there are {expected[0]} rows")
    if file.checksum != config["hashes"].get(TENSORS):
        raise ModelError(f"{folder / TENSORS} does not belong to this {CONFIG}", hint="copy or make the model again")
    try:
        about = About.from_dict(config["about"])
    except (KeyError, TypeError) as problem:
        raise ModelError(f"{folder / CONFIG}: `about` is not understood: {problem!r}") from problem
    return Model(AverageEncoder(vocabulary, embeddings), about, folder, file.checksum)


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
    if not isinstance(version, int) or not 1 <= version <= FORMAT:
        raise ModelError(
            f"{folder} has format {version}, and this version of Calque reads up to {FORMAT}", hint="upgrade calque"
        )
    types = {"encoder": str, "dimension": int, "rows": int, "vocabulary": dict, "about": dict, "hashes": dict}
    for name, type in types.items():
        if not isinstance(config.get(name), type):
            raise ModelError(f"{path}: expected `{name}` to be {type.__name__}, got {config.get(name)!r}")
    if config["encoder"] != "average":
        raise ModelError(f"{folder}: no encoder {config['encoder']!r} in this version of Calque", hint="upgrade calque")
    return config


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


def _file_hash(path: Path) -> str:
    try:
        return f"xxh3:{xxhash.xxh3_128(path.read_bytes()).hexdigest()}"
    except OSError as problem:
        raise ModelError(f"cannot read {path}: {problem.strerror}") from problem
