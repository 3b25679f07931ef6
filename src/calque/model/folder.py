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
is there to be small.

A model that was opened from another library's folder has that one's tokenizer.json for a vocabulary, and may give
vectors of length 1; its rows are floats or codes.

The format is 3 for those, 2 for other quantised models, and 1 for all that the first version of Calque could open: so
every version says that it is too old where it is.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..atomic import write_text
from ..encoder import FLOAT_BITS, Encoder, make_encoder
from ..errors import ModelError, UsageError
from ..safetensors import map_tensors, write_tensors
from ..vocabulary import read_vocabulary, write_vocabulary
from ..vocabulary.folder import TOKENIZER
from ..vocabulary.tokenizer_json import TokenizerVocabulary
from ..vocabulary.tokenizer_writing import tokenizer_json
from .about import About
from .box import NAME, box_folder, has_box
from .card import card
from .checks import FORMAT, QUANTISED_FORMAT, TOKENIZER_FORMAT, check_config, check_hashes, check_tensors
from .files import CONFIG, MODULES, TENSORS, file_hash, hash_of, read_json
from .magnitudes import are_small_enough, check_magnitudes
from .model import Model
from .quality import LanguageQuality

_STATIC = {"idx": 0, "name": "0", "path": ".", "type": "sentence_transformers.models.StaticEmbedding"}
_NORMALIZE = {"idx": 1, "name": "1", "path": "1_Normalize", "type": "sentence_transformers.models.Normalize"}


def save(folder: str | Path, encoder: Encoder, about: About) -> Model:
    """Writes a model into a folder that holds none yet.

    Raises:
        UsageError: there is a model already.
        CalqueError: the disk is full or the folder cannot be written to; it is then not taken for a model.
    """
    folder = Path(folder)
    if (folder / CONFIG).exists():
        raise UsageError(f"{folder} holds a model already", hint="choose another folder")
    if not are_small_enough(encoder.tensors):
        raise ModelError(
            "the model holds values that are not numbers, or are too large to add up",
            hint="choose a smaller learning rate",
        )
    folder.mkdir(parents=True, exist_ok=True)
    quantised = encoder.bits < FLOAT_BITS
    version = _format(encoder)
    description = write_vocabulary(folder, encoder.vocabulary, listing=not quantised)
    checksum = write_tensors(folder / TENSORS, encoder.tensors, {"calque": version})
    if encoder.name == "average" and not quantised:
        _write_for_others(folder, encoder)
    write_text(folder / "README.md", card(encoder, about))
    config = {
        "format": version,
        "model_type": "calque",
        "encoder": encoder.name,
        "dimension": encoder.dimension,
        "rows": encoder.vocabulary.size,
        **({"bits": encoder.bits} if quantised else {}),
        "normalize": encoder.normalizes,
        "max_length": None,  # or model2vec leaves out what a text has beyond its 512th piece
        "vocabulary": description,
        "about": about.as_dict(),
        "hashes": {TENSORS: checksum} | {name: file_hash(folder / name) for name in description["files"].values()},
    }
    write_text(folder / CONFIG, json.dumps(config, indent=2, ensure_ascii=False) + "\n")
    return load(folder)


def _format(encoder: Encoder) -> int:
    """The oldest that can say what the encoder does."""
    if encoder.normalizes or encoder.vocabulary.kind == TokenizerVocabulary.kind:
        return TOKENIZER_FORMAT
    return QUANTISED_FORMAT if encoder.bits < FLOAT_BITS else FORMAT


def _write_for_others(folder: Path, encoder: Encoder) -> None:
    """What sentence-transformers and model2vec need beside the rows, if they can express the vocabulary."""
    tokenizer = tokenizer_json(encoder.vocabulary)
    if tokenizer is not None:
        write_text(folder / TOKENIZER, tokenizer)
    if tokenizer is not None or encoder.vocabulary.kind == TokenizerVocabulary.kind:
        # Where vectors keep their length, one module is enough: cosines do not depend on it.
        modules = [_STATIC, _NORMALIZE] if encoder.normalizes else [_STATIC]
        write_text(folder / MODULES, json.dumps(modules, indent=2) + "\n")


def load(path: str | Path | None = None) -> Model:
    """Opens a model folder by mapping it into memory; without a path, the one that CALQUE_MODEL names, else the box.

    Examples:
        >>> calque.load().name
        'box'

    `load("box")` opens the model in the box whatever CALQUE_MODEL says; a folder of that name is `load("./box")`.
    Folders of model2vec and of sentence-transformers' StaticEmbedding are opened, too.

    Raises:
        ModelError: no model, a damaged one, one of a newer format, or of a kind that Calque cannot open.
    """
    folder = _chosen(path)
    config = _read_config(folder)
    if not isinstance(config, dict) or config.get("model_type") != "calque":
        from .foreign import open_foreign

        return open_foreign(folder, config)
    check_config(folder, config)
    check_hashes(folder, config)
    vocabulary = read_vocabulary(folder, config["vocabulary"], config["rows"])
    file = map_tensors(folder / TENSORS)
    check_tensors(folder, config, file)
    check_magnitudes(folder / TENSORS, file.tensors)
    if vocabulary.size != config["rows"]:
        raise ModelError(f"{folder}: the vocabulary has {vocabulary.size} pieces, but there are {config['rows']} rows")
    if file.checksum != config["hashes"].get(TENSORS):
        raise ModelError(f"{folder / TENSORS} does not belong to this {CONFIG}")
    try:
        about = About.from_dict(config["about"])
    except ValueError as problem:
        raise ModelError(f"{folder / CONFIG}: `about` is not understood: {problem}") from problem
    encoder = make_encoder(config["encoder"], vocabulary, config["dimension"], file.tensors, config["normalize"])
    return Model(encoder, about, folder, file.checksum, _vocabulary_checksum(config))


def record_quality(folder: str | Path, quality: Sequence[LanguageQuality]) -> Model:
    """Write into a model's folder how well it knows its languages, in place of what it said of that before.

    Raises:
        ModelError: no model, or not one of Calque's own.
    """
    model, path = load(folder), Path(folder) / CONFIG
    if model.about.library:
        raise ModelError(f"{folder} is a folder of {model.about.library}, which says nothing of quality", hint=None)
    config = read_json(path)
    config["about"] = replace(model.about, quality=tuple(quality)).as_dict()
    write_text(path, json.dumps(config, indent=2, ensure_ascii=False) + "\n")
    return load(folder)


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


def _read_config(folder: Path) -> Any:
    """None where only another library's list of modules says that there is a model."""
    if (folder / CONFIG).exists():
        return read_json(folder / CONFIG)
    if (folder / MODULES).exists() and not (folder / "training.json").exists():
        return None
    raise _no_model(folder)


def _no_model(folder: Path) -> ModelError:
    if not folder.exists():
        return ModelError(
            f"there is no model at {folder}",
            hint="`calque train BITEXT --out DIR` makes one, box is the model in the box, and models of other "
            "libraries are opened from their folder: nothing is fetched",
        )
    if (folder / "training.json").exists():
        return ModelError(f"{folder}: the training has not been finished", hint=f"calque train --resume {folder}")
    below = sorted(path.parent for path in folder.glob(f"*/{CONFIG}"))
    hint = f"did you mean {below[0]}?" if below else "name a folder that `calque train` or `calque export` has written"
    return ModelError(f"{folder} is not a model folder: there is no {CONFIG} in it", hint=hint)


def _vocabulary_checksum(config: dict[str, Any]) -> str:
    files = {name: config["hashes"][name] for name in config["vocabulary"]["files"].values()}
    return hash_of(json.dumps([config["vocabulary"], files], sort_keys=True).encode())
