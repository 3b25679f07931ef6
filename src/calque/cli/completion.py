from __future__ import annotations

import os
from pathlib import PurePath

import click
from click.shell_completion import get_completion_class

from ..errors import UsageError
from .command import command

SHELLS = ("bash", "zsh", "fish")


@command(
    examples={
        "calque completion bash >> ~/.bashrc": "bash, from 4.4 on",
        'calque completion zsh > "${fpath[1]}/_calque"': "zsh, with compinit",
        "calque completion fish > ~/.config/fish/completions/calque.fish": "fish",
    }
)
@click.argument("shell", type=click.Choice(SHELLS), required=False)
@click.pass_context
def completion(context: click.Context, shell: str | None) -> None:
    """Print a script that makes your shell complete commands, options, choices and files; without SHELL, for $SHELL.

    The lines below put it where each shell looks. It takes effect in the next shell that you open.
    """
    chosen = shell or PurePath(os.environ.get("SHELL", "")).name
    if chosen not in SHELLS:
        told = f"SHELL is {os.environ['SHELL']}" if os.environ.get("SHELL") else "SHELL is not set"
        raise UsageError(f"cannot tell which shell: {told}", hint=f"say which: {', '.join(SHELLS)}")
    complete = get_completion_class(chosen)
    assert complete is not None
    click.echo(complete(context.find_root().command, {}, "calque", "_CALQUE_COMPLETE").source())
