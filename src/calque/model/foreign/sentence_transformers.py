"""Folders of sentence-transformers whose one module with weights is a StaticEmbedding.

modules.json                          what the model is made of, each module with its type and its folder
config_sentence_transformers.json     prompts, how many numbers of a vector to keep
model.safetensors, tokenizer.json     here, or in the module's folder, such as 0_StaticEmbedding: `embedding.weight`,
                                      or else what model2vec writes

The unknown token counts like any other. Texts are read to their end, whatever tokenizer.json says of truncation.
"""

from __future__ import annotations

from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

from ...errors import ModelError
from ..files import CONFIG, MODULES, TENSORS, read_json
from ..model import Model
from .static import Stored, check_stored, imported, open_vocabulary, read_tensors

SETTINGS = "config_sentence_transformers.json"
_PACKAGE = "sentence_transformers"
_OUTPUT = "sentence_embedding"
_NO_AVERAGES = "use sentence-transformers, or distil it with model2vec"


class Module(NamedTuple):
    name: str  # StaticEmbedding of sentence_transformers.models.StaticEmbedding
    folder: Path


def open_static_embedding(folder: Path) -> Model:
    embedding, *others = _modules(folder)
    columns = _kept_columns(folder, normalizes=bool(others))
    file = read_tensors(embedding.folder)
    path = embedding.folder / TENSORS
    stored = _stored(path, file.tensors)
    vocabulary = open_vocabulary(embedding.folder, leaves_out_unknown=False)
    check_stored(path, stored, vocabulary.size)
    if columns is not None:
        stored = stored._replace(embeddings=stored.embeddings[:, :columns])
    return imported(folder, "sentence-transformers", vocabulary, stored, bool(others), file.checksum)


def _modules(folder: Path) -> list[Module]:
    """A StaticEmbedding and what follows it, which can only be Normalize."""
    path = folder / MODULES
    listed = read_json(path)
    try:
        types = [str(module["type"]) for module in listed]
        places = [PurePosixPath(module["path"]) for module in listed]
    except (TypeError, KeyError) as problem:
        raise ModelError(f"{path} is not understood: {problem!r}") from problem
    names = [type.rpartition(".")[2] if type.partition(".")[0] == _PACKAGE else type for type in types]
    if names[:1] != ["StaticEmbedding"] or set(names[1:]) - {"Normalize"}:
        raise ModelError(
            f"{folder} is a sentence-transformers model of {', '.join(names) or 'no modules'}; "
            "Calque opens those of a StaticEmbedding that nothing but Normalize follows",
            hint=f"its vectors are no averages of rows; {_NO_AVERAGES}",
        )
    for place in places:
        if place.is_absolute() or ".." in place.parts or "\\" in str(place):
            raise ModelError(f"{path}: {str(place)!r} is not inside the folder")
    modules = [Module(name, folder / place) for name, place in zip(names, places, strict=True)]
    for module in modules[1:]:
        _check_normalize(module.folder / CONFIG)
    return modules


def _check_normalize(path: Path) -> None:
    """It must be the sentence's vector that gets length 1."""
    config = read_json(path) if path.exists() else {}
    if not isinstance(config, dict):
        raise ModelError(f"{path} is not understood: expected an object, got {config!r}")
    names = [config.get(f"module_{end}_name") or _OUTPUT for end in ("input", "output")] if config else []
    if set(names) - {_OUTPUT}:
        raise ModelError(f"{path}: expected {_OUTPUT} to be normalized, got {' to '.join(map(str, names))}")


def _kept_columns(folder: Path, normalizes: bool) -> int | None:
    """How many numbers of a vector are kept; None: all.

    Raises:
        ModelError: the settings ask for what Calque does not do.
    """
    path = folder / SETTINGS
    config: Any = read_json(path) if path.exists() else {}
    if not isinstance(config, dict):
        raise ModelError(f"{path} is not understood: expected an object, got {config!r}")
    kind = config.get("model_type", "SentenceTransformer")
    if kind != "SentenceTransformer":
        raise ModelError(
            f"{folder} is a {kind}, not a SentenceTransformer: its vectors are no averages of rows", hint=_NO_AVERAGES
        )
    prompts, chosen = config.get("prompts") or {}, config.get("default_prompt_name")
    if chosen is not None and (not isinstance(prompts, dict) or not isinstance(chosen, str) or prompts.get(chosen)):
        raise ModelError(
            f"{path}: every text is to be read with the prompt {chosen!r} before it, which Calque does not do",
            hint="set default_prompt_name to null, and write the prompt into the texts where it is wanted",
        )
    columns: int | None = config.get("truncate_dim")
    if columns is not None and (type(columns) is not int or columns < 1):
        raise ModelError(f"{path}: expected `truncate_dim` to be a number of columns, got {columns!r}")
    if columns is not None and normalizes:
        raise ModelError(
            f"{path}: vectors are to be cut to {columns} numbers after they got length 1, which Calque does not do",
            hint="set truncate_dim to null",
        )
    return columns


def _stored(path: Path, tensors: dict[str, Any]) -> Stored:
    if tensors.keys() == {"embedding.weight"}:
        return Stored(tensors["embedding.weight"])
    if "embeddings" in tensors and not tensors.keys() - set(Stored._fields):
        return Stored(**tensors)
    raise ModelError(
        f"{path}: expected one tensor, embedding.weight, got {', '.join(sorted(tensors)) or 'none'}",
        hint="if a newer sentence-transformers wrote it, upgrade calque",
    )
