"""The model that an index belongs to: its vectors mean nothing to any other."""

from __future__ import annotations

import os
from pathlib import Path

from ..errors import ModelError, UsageError
from ..model import Model, load
from ..model.box import NAME as BOX
from ..model.box import has_box
from .manifest import ModelIdentity


def identity_of(model: Model) -> ModelIdentity:
    if model.path is None or not model.checksum:
        raise UsageError("an index needs a model that lies in a folder", hint="save it, and open it with calque.load")
    return ModelIdentity(str(model.path.resolve()), model.checksum, model.vocabulary_checksum)


def find_model(
    index: Path, expected: ModelIdentity, given: Model | str | Path | None, usual: str | None = None
) -> Model:
    """The model given; or the one the index was built with, if it is still there; or the `usual` one, else the one that
    CALQUE_MODEL names; or the one in the box, which lies elsewhere in every installation.

    Raises:
        ModelError: it is another model than the index was built with.
    """
    if given is not None:
        return _same(index, expected, given if isinstance(given, Model) else load(given))
    try:
        return _same(index, expected, load(expected.path))
    except ModelError as problem:
        named = usual or os.environ.get("CALQUE_MODEL")
        if named:
            return _same(index, expected, load(named))
        if has_box() and _identity(box := load(BOX)) == (expected.checksum, expected.vocabulary):
            return box
        raise ModelError(
            f"the model that {index} was built with is not at {expected.path} any more: {problem.message}",
            hint="pass --model with the folder where it is now, or build the index again",
        ) from problem


def _identity(model: Model) -> tuple[str, str]:
    return model.checksum, model.vocabulary_checksum


def _same(index: Path, expected: ModelIdentity, model: Model) -> Model:
    found = _identity(model)
    if found != (expected.checksum, expected.vocabulary):
        what = "checksum" if model.checksum != expected.checksum else "vocabulary"
        got, wanted = (found[0], expected.checksum) if what == "checksum" else (found[1], expected.vocabulary)
        raise ModelError(
            f"{index} was built with another model than {model.path}: {what} {got}, expected {wanted}",
            hint=f"it was built with {expected.path}; pass --model with that model, or build the index again",
        )
    return model
