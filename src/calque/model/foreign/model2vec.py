"""Folders of model2vec's StaticModel.

config.json          `normalize`: whether vectors have length 1; the rest is for eyes
model.safetensors    `embeddings`; and where a vocabulary was quantised, `mapping` from a token to its row, and
                     `weights`, one a token
tokenizer.json

The unknown token is left out of averages. Texts are read to their end here, while StaticModel.encode, unless told
`max_length=None`, stops after 512 tokens or so.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ...errors import ModelError
from ..files import CONFIG, TENSORS
from ..model import Model
from .static import Stored, check_stored, imported, open_vocabulary, read_tensors


def open_model2vec(folder: Path, config: Any) -> Model:
    normalize = config.get("normalize", False) if isinstance(config, dict) else None
    if normalize not in (None, True, False) or not isinstance(config, dict):
        raise ModelError(f"{folder / CONFIG}: expected `normalize` to be true or false, got {normalize!r}")
    file = read_tensors(folder)
    if unknown := sorted(file.tensors.keys() - set(Stored._fields)):
        raise ModelError(
            f"{folder / TENSORS}: no model2vec model that Calque knows has a tensor {unknown[0]!r}",
            hint="upgrade calque",
        )
    stored = Stored(**file.tensors)
    vocabulary = open_vocabulary(folder, leaves_out_unknown=True)
    check_stored(folder / TENSORS, stored, vocabulary.size)
    if stored.tokens != vocabulary.size:  # for model2vec, a sign that the files do not belong together
        raise ModelError(
            f"{folder / TENSORS}: there are {stored.tokens} rows for the {vocabulary.size} tokens of tokenizer.json"
        )
    return imported(folder, "model2vec", vocabulary, stored, bool(normalize), file.checksum)
