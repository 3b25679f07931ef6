"""A model that is trained once, however often it is asked for and however often its training is stopped."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from ..model import Model, load
from ..model.files import CONFIG
from .train import Watcher, resume
from .training_run import RUN


def trained(
    folder: Path,
    begin: Callable[[], Model],
    *,
    watcher: Watcher | None = None,
    going_on: Callable[[], None] = lambda: None,
) -> Model:
    """The model in `folder`: opened if it is there, gone on with if it was being made, else what `begin` makes there.

    `going_on` is called before a training that was stopped is resumed.
    """
    if (folder / CONFIG).exists():
        return load(folder)
    if (folder / RUN).exists():
        going_on()
        return resume(folder, watcher=watcher)
    return begin()
