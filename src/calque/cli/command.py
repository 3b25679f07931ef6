"""What every command and group has in common: examples in its help, calque.toml, -q and -v."""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import click
from click.core import ParameterSource

from ..errors import CalqueError, UsageError
from ..threads import require_room, resolve_threads
from . import manner
from .quotes import joined
from .settings import Defaults

# Bytes of addresses that numpy and its BLAS take beside the BLAS's threads; without them, it ends the process.
_LIBRARIES, _MOST_BLAS_THREADS = 192 << 20, 64

Examples = Mapping[str, str]  # command lines, and what there is to say of each


class ReaderGone(Exception):
    """Whoever read the output has gone; as a BrokenPipeError, click would end with 1, which says bad data."""


class Command(click.Command):
    """`rivals` exclude each other: one that is only in calque.toml gives way to one on the command line."""

    def __init__(
        self, *arguments: Any, examples: Examples | None = None, rivals: Sequence[set[str]] = (), **options: Any
    ) -> None:
        super().__init__(*arguments, **options)
        self.examples = examples or {}
        self.rivals = rivals
        self.params += manner.options()

    def format_help_text(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        super().format_help_text(context, formatter)
        if self.examples:
            with formatter.section("Examples"):
                formatter.write("".join(f"  {line}\n" for line in example_lines(self.examples)))

    def parse_args(self, context: click.Context, arguments: list[str]) -> list[str]:
        if isinstance(self, click.Group):
            return super().parse_args(context, arguments)
        context.default_map = Defaults(context)
        context.allow_extra_args = True  # refused below, with a word about quotation marks
        extra = super().parse_args(context, list(arguments))
        if extra and not context.resilient_parsing:
            raise _too_many(context, arguments, extra)
        return extra

    def invoke(self, context: click.Context) -> Any:
        if isinstance(self, click.Group):
            return super().invoke(context)
        try:
            return self._invoke(context)
        except BrokenPipeError as problem:
            raise ReaderGone from problem

    def _invoke(self, context: click.Context) -> Any:
        require_room(min(resolve_threads(None), _MOST_BLAS_THREADS), _LIBRARIES, arena=0)
        manner.settle(context)
        self._give_way(context)
        with manner.telling_warnings():
            return self._invoke_telling(context) if manner.is_verbose() else super().invoke(context)

    def _invoke_telling(self, context: click.Context) -> Any:
        from .told import taken_for_granted

        for line in taken_for_granted(context):
            manner.detail(line)
        begun = time.monotonic()
        try:
            return super().invoke(context)
        except (CalqueError, click.ClickException, click.exceptions.Exit, BrokenPipeError):
            raise
        except Exception:
            traceback.print_exc()
            raise
        finally:
            manner.detail(f"took {time.monotonic() - begun:.1f} s")

    def _give_way(self, context: click.Context) -> None:
        options = {option.name: option for option in self.params}
        for rivals in self.rivals:
            sources = {name: context.get_parameter_source(name) for name in rivals}
            if ParameterSource.COMMANDLINE in sources.values():
                for name in rivals:
                    if sources[name] == ParameterSource.DEFAULT_MAP:
                        context.params[name] = _nothing(options[name])


def _too_many(context: click.Context, arguments: Sequence[str], extra: Sequence[str]) -> UsageError:
    options = [option for option in context.command.params if isinstance(option, click.Option)]
    of_text = {name for option in options if option.type is click.STRING and not option.is_flag for name in option.opts}
    meant = joined(context.command_path, arguments, extra, of_text)
    return UsageError(
        f"unexpected extra argument{'s' if len(extra) > 1 else ''}: {' '.join(extra)}",
        hint=(
            f"a text or a name with spaces needs quotation marks: {meant}; {context.command_path} --help says more"
            if meant
            else f"a text or a name with spaces needs quotation marks; see {context.command_path} --help"
        ),
    )


def _nothing(option: click.Parameter) -> Any:
    if option.multiple:
        return ()
    return False if isinstance(option, click.Option) and option.is_flag else None


def command(cls: type[Command] = Command, **options: Any) -> Callable[[Callable[..., Any]], Command]:
    return click.command(cls=cls, **options)


def example_lines(examples: Examples) -> list[str]:
    """Comments stand in one column.

    >>> example_lines({"calque demo": "a first look", "calque info --json": ""})
    ['calque demo         # a first look', 'calque info --json']
    """
    last = {example: example.splitlines()[-1] for example in examples}
    widths = [len(line) for example, line in last.items() if examples[example]]
    column = max(widths, default=0)
    lines = []
    for example, comment in examples.items():
        before = example.splitlines()[:-1]
        lines += [*before, f"{last[example]:<{column}}  # {comment}" if comment else last[example]]
    return lines
