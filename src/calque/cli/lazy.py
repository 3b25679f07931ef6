"""A group of commands that are imported when they are used, so that `calque --help` need not wait for them."""

from __future__ import annotations

import difflib
from importlib import import_module
from typing import Any

import click
from click.shell_completion import CompletionItem

from ..errors import UsageError
from .command import Command


class LazyGroup(Command, click.Group):
    """Its `commands` are name and summary; each lies in a module of its name below `package`."""

    def __init__(self, *, package: str, summaries: dict[str, str], **options: Any) -> None:
        super().__init__(**options)
        self.package = package
        self.summaries = summaries

    def list_commands(self, context: click.Context) -> list[str]:
        return list(self.summaries)

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        if name not in self.summaries:
            return None
        command: click.Command = getattr(import_module(f".{name}", self.package), name)
        return command

    def resolve_command(
        self, context: click.Context, arguments: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = arguments[0]
        if name not in self.summaries and not name.startswith("-") and not context.resilient_parsing:
            near = difflib.get_close_matches(name, self.summaries, 1)
            raise UsageError(
                f"{context.command_path} has no command {name!r}",
                hint=f"did you mean {near[0]}?" if near else f"see {context.command_path} --help",
            )
        return super().resolve_command(context, arguments)

    def shell_complete(self, context: click.Context, incomplete: str) -> list[CompletionItem[str]]:
        """By the summaries, so that no command is imported for its help."""
        names = [(name, summary) for name, summary in self.summaries.items() if name.startswith(incomplete)]
        options = click.Command.shell_complete(self, context, incomplete)
        return [*(CompletionItem(name, help=summary) for name, summary in names), *options]

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(self.summaries.items()))
