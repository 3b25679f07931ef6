"""Model folders of other libraries whose vectors are averages of rows, too."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ...errors import ModelError
from ...safetensors import tensor_names
from ..files import CONFIG, MODULES, TENSORS
from ..model import Model
from .model2vec import open_model2vec
from .sentence_transformers import open_static_embedding

_HINT = "Calque opens its own models, those of model2vec, and sentence-transformers' StaticEmbedding"


def open_foreign(folder: Path, config: Any) -> Model:
    """
    Raises:
        ModelError: whatever lies there is nothing that Calque can open.
    """
    names = tensor_names(folder / TENSORS) if (folder / TENSORS).exists() else set()
    if config is not None and "embeddings" in names:
        return open_model2vec(folder, config)
    if (folder / MODULES).exists():
        return open_static_embedding(folder)
    kind = config.get("model_type") if isinstance(config, dict) else None
    if isinstance(kind, str):
        raise ModelError(f"{folder} holds a model of type {kind!r}, whose vectors are no averages of rows", hint=_HINT)
    raise ModelError(f"{folder} is not a Calque model: its {CONFIG} was written by something else", hint=_HINT)
