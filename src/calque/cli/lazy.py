"""A group of commands that are imported when they are used, so that `calque --help` need not wait for them."""

from __future__ import annotations

from importlib import import_module

import click


class LazyGroup(click.Group):
    """Its `commands` are name and summary; each lies in a module of its name below `package`."""

    def __init__(self, *, package: str, summaries: dict[str, str], **options: object) -> None:
        super().__init__(**options)  # type: ignore[arg-type]
        self.package = package
        self.summaries = summaries

    def list_commands(self, context: click.Context) -> list[str]:
        return list(self.summaries)

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        if name not in self.summaries:
            return None
        command: click.Command = getattr(import_module(f".{name}", self.package), name)
        return command

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(self.summaries.items()))
