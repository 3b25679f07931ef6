"""Calque learns what sentences mean from their translations.

import calque

model = calque.train("en-es.tsv", out="my-model/")
model = calque.load("my-model/")
model.encode(["A dog runs.", "Un perro corre."])
model.similarity("A dog runs.", "Un perro corre.")
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._version import __version__

if TYPE_CHECKING:
    from .corpus import read_bitext
    from .errors import CalqueError
    from .evaluation.evaluate import evaluate
    from .model import Model, load
    from .tasks.clean import clean
    from .tasks.filter import filter
    from .tasks.train import resume, train
    from .training.config import TrainingConfig

# Imported when first asked for: `calque --help` should not wait for numpy.
_HOMES = {
    "CalqueError": "errors",
    "Model": "model",
    "TrainingConfig": "training.config",
    "clean": "tasks.clean",
    "evaluate": "evaluation.evaluate",
    "filter": "tasks.filter",
    "load": "model",
    "read_bitext": "corpus",
    "resume": "tasks.train",
    "train": "tasks.train",
}

__all__ = [
    "CalqueError",
    "Model",
    "TrainingConfig",
    "__version__",
    "clean",
    "evaluate",
    "filter",
    "load",
    "read_bitext",
    "resume",
    "train",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'calque' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f".{_HOMES[name]}", __name__), name)


def __dir__() -> list[str]:
    return __all__
