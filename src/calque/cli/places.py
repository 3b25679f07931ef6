"""Options that name files, folders and models: what shells complete, and what calque.toml has relative to itself."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem

BOX = "box"  # model.box, unimported
_ELSEWHERE = ("random-", "sentence-transformers:", "model2vec:")  # evaluation.subject, unimported


class Place(click.ParamType[str]):
    """A path, or `-`."""

    def __init__(self, kind: str) -> None:
        self.name = kind

    def convert(self, value: Any, param: click.Parameter | None, context: click.Context | None) -> str:
        return str(value)

    def shell_complete(self, context: click.Context, param: click.Parameter, incomplete: str) -> list[Any]:
        return [CompletionItem(incomplete, type=self.name)]

    def relative_to(self, value: str, folder: Path) -> str:
        """What calque.toml in this folder means by it."""
        return value if value == "-" or "://" in value else str(folder / Path(value).expanduser())


class ModelPlace(Place):
    """A model folder, or a name that stands for a model."""

    def __init__(self) -> None:
        super().__init__("dir")

    def shell_complete(self, context: click.Context, param: click.Parameter, incomplete: str) -> list[Any]:
        if not BOX.startswith(incomplete):
            return super().shell_complete(context, param, incomplete)
        # A shell that is told to look for folders offers nothing else, so those that box stands among are listed.
        with os.scandir() as entries:
            folders = sorted(each.name for each in entries if each.is_dir() and not each.name.startswith("."))
        return [
            CompletionItem(BOX, help="the model in the box"),
            *(CompletionItem(f"{name}/") for name in folders if name.startswith(incomplete)),
        ]

    def relative_to(self, value: str, folder: Path) -> str:
        return super().relative_to(value, folder) if self.is_folder(value) else value

    def is_folder(self, value: str) -> bool:
        return value != BOX and not value.startswith(_ELSEWHERE)


FILE, FOLDER, MODEL = Place("file"), Place("dir"), ModelPlace()


def one_of(*names: str) -> Any:
    """Completes names that are not checked before they are used."""

    def complete(context: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem[str]]:
        return [CompletionItem(name) for name in names if name.startswith(incomplete)]

    return complete
