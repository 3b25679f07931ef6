"""Every command there is."""

from __future__ import annotations

from collections.abc import Iterator

import click

from calque.cli import calque


def every_command() -> Iterator[tuple[str, click.Command]]:
    """Each with its path: `corpus clean`; groups too, the first of which has an empty one."""
    yield from _below(calque, click.Context(calque, info_name="calque"), "")


def _below(command: click.Command, context: click.Context, path: str) -> Iterator[tuple[str, click.Command]]:
    yield path, command
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            assert inner is not None
            yield from _below(inner, context, f"{path} {name}".strip())


COMMANDS = dict(every_command())
LEAVES = {path: command for path, command in COMMANDS.items() if not isinstance(command, click.Group)}
