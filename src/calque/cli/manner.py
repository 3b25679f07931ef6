"""How much a command says: `-q` for errors and warnings only, `-v` for what was taken for granted as well."""

from __future__ import annotations

import contextlib
import os
import sys
import warnings
from collections.abc import Iterator
from typing import Any, TextIO

import click
from click.core import ParameterSource

from ..errors import LanguageWarning, UsageError
from .visible import harmless

_HEARD = "calque.manner"


def _hear(context: click.Context, option: click.Parameter, given: bool) -> None:
    if given:
        on_line = context.get_parameter_source(option.name or "") == ParameterSource.COMMANDLINE
        heard = context.meta.setdefault(_HEARD, {})
        heard[option.name] = heard.get(option.name, False) or on_line


def options() -> list[click.Option]:
    """For every command and group; what stands before a command holds for it, too."""
    shared: dict[str, Any] = {"is_flag": True, "expose_value": False, "callback": _hear}
    return [
        click.Option(["--quiet", "-q"], help="Say nothing but errors and warnings; show no progress.", **shared),
        click.Option(["--verbose", "-v"], help="Say what is taken for granted, and how long it took.", **shared),
    ]


def settle(context: click.Context) -> None:
    """The command line beats calque.toml.

    Raises:
        UsageError: both were asked for in the same place.
    """
    heard = context.meta.get(_HEARD, {})
    if len(heard) == 2:
        if len(set(heard.values())) == 1:
            raise UsageError("--quiet and --verbose contradict each other", hint="choose one")
        context.meta[_HEARD] = {name: on_line for name, on_line in heard.items() if on_line}


def _asked(name: str) -> bool:
    context = click.get_current_context(silent=True)
    return context is not None and name in context.meta.get(_HEARD, {})


def is_quiet() -> bool:
    return _asked("quiet")


def is_verbose() -> bool:
    return _asked("verbose")


def note(text: str) -> None:
    """What is good to know, on standard error; not with -q."""
    if not is_quiet():
        click.echo(harmless(text), err=True)


def warn(text: str) -> None:
    click.echo(f"warning: {harmless(text)}", err=True)


@contextlib.contextmanager
def telling_warnings() -> Iterator[None]:
    """Within the block, Calque's own Python warnings are told as the command's, each once."""
    with warnings.catch_warnings():
        warnings.simplefilter("always", LanguageWarning)
        usual, told = warnings.showwarning, set[str]()

        def tell(
            message: Warning | str,
            category: type[Warning],
            filename: str,
            lineno: int,
            file: TextIO | None = None,
            line: str | None = None,
        ) -> None:
            if not issubclass(category, LanguageWarning):
                usual(message, category, filename, lineno, file, line)
            elif str(message) not in told:
                told.add(str(message))
                _end_progress()
                warn(str(message))

        warnings.showwarning = tell
        yield


def _end_progress() -> None:
    """A line of progress may stand on the terminal; it is drawn again below the warning."""
    if sys.stderr.isatty():
        sys.stderr.write("\r\x1b[K")


def detail(text: str) -> None:
    """What was taken for granted, with -v only."""
    if is_verbose():
        click.echo(f"{_dim('calque:')} {harmless(text)}", err=True)


def _dim(text: str) -> str:
    return text if "NO_COLOR" in os.environ else click.style(text, dim=True)
